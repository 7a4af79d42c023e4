import type { RunInList } from '@signalbox/contract/app/runs.ts'
import type { Evidence, Run, RunListed, Verification } from '@signalbox/contract/run.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { startOfDay, startOfMonth } from '../days.ts'
import { type PageRequest, type Rendered, rowsFor } from '../page.ts'
import type { WorkOrder } from '../ports/work.ts'
import type { Memory, Place, RunState } from './machine.ts'

const listed = `
  r.key,
  t.slug as team,
  (select row_to_json(story) from (select s.key, s.title) as story) as story,
  a.status,
  a.stage,
  a.executor,
  r.attempts,
  (
    select sum(cost_cents) from attempts
    where workspace_id = r.workspace_id and run_id = r.id
  ) as "costCents",
  r.budget_cents as "budgetCents",
  a.failure_class as "failureClass",
  (select row_to_json(pull_request) from (select
    r.pull_request_url as url, r.pull_request_number as number
    where r.pull_request_url is not null
  ) as pull_request) as "pullRequest",
  iso((
    select started_at from attempts
    where workspace_id = r.workspace_id and run_id = r.id and attempt = 1
  )) as "startedAt",
  iso(a.completed_at) as "completedAt",
  iso(r.created_at) as "createdAt"
`

// The latest attempt carries the run's status, stage, executor and failure class.
const source = `
  runs r
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
`

const page = statement<Rendered<RunListed>>(`
  select r.id, (select row_to_json(run) from (select ${listed}) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId
    [[and r.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and r.story_id = (select id from stories where workspace_id = :workspaceId and key = :story)]]
    [[and r.id < :after]]
  order by r.id desc
  limit #rows`)

/** A run in the app's list: what the outside sees of it, and why it does not move. */
const pageForApp = statement<Rendered<RunInList>>(`
  select r.id, (select row_to_json(run) from (select
    ${listed},
    t.name as "teamName",
    r.place,
    r.reason,
    iso(r.stuck_since) as "stuckSince",
    (
      select key from decisions
      where workspace_id = r.workspace_id and run_id = r.id and status = 'pending'
      order by id desc
      limit 1
    ) as "waitsFor"
  ) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId
    [[and r.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and r.story_id = (select id from stories where workspace_id = :workspaceId and key = :story)]]
    [[and r.place = :place]]
    [[and r.place = any(:places)]]
    [[and a.failure_class = :failure]]
    [[and a.executor = :executor]]
    [[and r.id < :after]]
  order by r.id desc
  limit #rows`)

export async function selectRunsForApp(
  db: Db,
  workspaceId: string,
  filter: {
    team?: string | undefined
    story?: string | undefined
    places?: Place[] | undefined
    failure?: RunListed['failureClass'] | undefined
    executor?: RunListed['executor'] | undefined
  },
  { after, ...request }: PageRequest,
): Promise<readonly Rendered<RunInList>[]> {
  const { places, ...rest } = filter
  // Of one place the index holds the runs in their order; several would be sorted.
  const where = places?.length === 1 ? { place: places[0] } : { places }
  return read(db, pageForApp, { workspaceId, ...rest, ...where, after, rows: rowsFor(request) })
}

const one = statement<Rendered<Run>>(`
  select r.id, (select row_to_json(run) from (select
    ${listed},
    (
      select json_agg(row_to_json(one) order by one.attempt) from (
        select attempt, status, stage, executor, cost_cents as "costCents", failure_class as "failureClass",
          error, verification, iso(started_at) as "startedAt", iso(completed_at) as "completedAt"
        from attempts
        where workspace_id = r.workspace_id and run_id = r.id
      ) as one
    ) as "attemptList",
    r.evidence,
    (
      select coalesce(json_agg(row_to_json(decision)), '[]') from (
        select key, kind, status
        from decisions
        where workspace_id = r.workspace_id and run_id = r.id
        order by id desc
      ) as decision
    ) as decisions
  ) as run)::text as json
  from ${source}
  where r.workspace_id = :workspaceId and r.key = :key`)

export async function selectRuns(
  db: Db,
  workspaceId: string,
  filter: { team?: string | undefined; story?: string | undefined },
  { after, ...request }: PageRequest,
): Promise<readonly Rendered<RunListed>[]> {
  return read(db, page, {
    workspaceId,
    team: filter.team,
    story: filter.story,
    after,
    rows: rowsFor(request),
  })
}

export async function selectRun(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<Rendered<Run> | undefined> {
  return (await read(db, one, { workspaceId, key }))[0]
}

/** A run as the engine needs it. */
export interface RunRow {
  id: string
  key: string
  place: Place
  version: number
  fence: number
  stage: RunListed['stage']
  attempt: number
  budgetCents: number
  costMicros: number
  memory: Partial<Memory>
  pullRequest: RunListed['pullRequest']
  policyVersion: number
  orderedAt: Date | null
  wakeAt: Date | null
  team: { id: string; slug: string; name: string }
  story: { id: string; key: string; title: string } & Pick<StoryListed, 'size' | 'complexity' | 'tracker'>
}

const held = statement<RunRow>(`
  select r.id, r.key, r.place, r.version, r.fence, a.stage, r.attempts as attempt,
    r.budget_cents as "budgetCents",
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros",
    r.memory, r.ordered_at as "orderedAt", r.wake_at as "wakeAt",
    (select row_to_json(pull_request) from (select
      r.pull_request_url as url, r.pull_request_number as number
      where r.pull_request_url is not null
    ) as pull_request) as "pullRequest",
    coalesce(r.policy_version, t.policy_version) as "policyVersion",
    json_build_object('id', t.id, 'slug', t.slug, 'name', t.name) as team,
    json_build_object('id', s.id, 'key', s.key, 'title', s.title, 'size', s.size, 'complexity', s.complexity,
      'tracker', case when s.tracker_key is not null then
        json_build_object('platform', s.tracker_platform, 'key', s.tracker_key, 'url', s.tracker_url)
      end) as story
  from ${source}
  where r.workspace_id = :workspaceId [[and r.id = :id]] [[and r.key = :key]]`)

const lock = statement(`
  select from runs
  where workspace_id = :workspaceId [[and id = :id]] [[and key = :key]]
  for no key update`)

/**
 * Two statements: a lock that was waited for shows the run as it is now, but everything joined to it as it was when
 * the statement began.
 */
export async function lockRun(
  tx: Tx,
  workspaceId: string,
  by: { id: string } | { key: string },
): Promise<RunRow | undefined> {
  await read(tx, lock, { workspaceId, ...by })
  return (await read(tx, held, { workspaceId, ...by }))[0]
}

/** Writes where the run stands now and, as its own row, what led there. */
export async function updateRun(
  tx: Tx,
  run: {
    id: string
    workspaceId: string
    version: number
    state: RunState
    wakeAt: Date | null
    orderedAt: Date | null
    policyVersion: number
    event: { at: Date; type: string; data: unknown; fence: number | null; report: number | null }
  },
): Promise<void> {
  const { state, event } = run
  await sql`
    with event as (
      insert into run_events (workspace_id, run_id, seq, at, type, data, fence, report, place, stage, attempt)
      values (${run.workspaceId}, ${run.id}, ${run.version}, ${event.at}, ${event.type},
        ${JSON.stringify(event.data)}, ${event.fence}, ${event.report}, ${state.place}, ${state.stage}, ${state.attempt})
    )
    update runs set place = ${state.place}, version = ${run.version}, fence = ${state.fence},
      attempts = ${state.attempt}, budget_cents = ${state.budgetCents}, memory = ${JSON.stringify(state.memory)},
      pull_request_url = ${state.pullRequest?.url ?? null},
      pull_request_number = ${state.pullRequest?.number ?? null},
      wake_at = ${run.wakeAt}, ordered_at = ${run.orderedAt}, policy_version = ${run.policyVersion},
      reason = null, stuck_since = null
    where id = ${run.id}
  `.execute(tx)
}

/** Notes an event that moved nothing, and when to look again. Whoever is heard of is not stuck. */
export async function appendEvent(
  tx: Tx,
  run: { id: string; workspaceId: string; version: number; wakeAt: Date | null; isAlive: boolean },
  event: { at: Date; type: string; data: unknown; fence: number | null; report: number | null },
): Promise<void> {
  await sql`
    with event as (
      insert into run_events (workspace_id, run_id, seq, at, type, data, fence, report)
      values (${run.workspaceId}, ${run.id}, ${run.version}, ${event.at}, ${event.type},
        ${JSON.stringify(event.data)}, ${event.fence}, ${event.report})
    )
    update runs set version = ${run.version}, wake_at = ${run.wakeAt},
      reason = case when ${run.isAlive} then null else reason end,
      stuck_since = case when ${run.isAlive} then null else stuck_since end
    where id = ${run.id}
  `.execute(tx)
}

export async function isReported(tx: Tx, runId: string, fence: number, report: number): Promise<boolean> {
  const found = await tx
    .selectFrom('run_events')
    .select('seq')
    .where('run_id', '=', runId)
    .where('fence', '=', fence)
    .where('report', '=', report)
    .executeTakeFirst()
  return found !== undefined
}

export async function insertRun(
  tx: Tx,
  run: {
    id: string
    workspaceId: string
    teamId: string
    storyId: string
    key: string
    budgetCents: number
    executor: RunListed['executor']
    policyVersion: number
    memory: Memory
    at: Date
  },
): Promise<void> {
  await sql`
    with run as (
      insert into runs (id, workspace_id, team_id, story_id, key, attempts, budget_cents, place, wake_at,
        policy_version, memory, created_at)
      values (${run.id}, ${run.workspaceId}, ${run.teamId}, ${run.storyId}, ${run.key}, 1, ${run.budgetCents},
        'queued', ${run.at}, ${run.policyVersion}, ${JSON.stringify(run.memory)}, ${run.at})
    )
    insert into attempts (workspace_id, run_id, attempt, status, stage, executor)
    values (${run.workspaceId}, ${run.id}, 1, 'queued', 'planning', ${run.executor})
  `.execute(tx)
}

export async function updateAttempt(
  tx: Tx,
  runId: string,
  attempt: number,
  changed: {
    status: RunListed['status']
    stage?: RunListed['stage']
    failureClass?: RunListed['failureClass']
    error?: string | null
    startedAt?: Date
    completedAt?: Date
    executor?: RunListed['executor']
  },
): Promise<void> {
  await tx
    .updateTable('attempts')
    .set({
      status: changed.status,
      ...(changed.stage ? { stage: changed.stage } : {}),
      ...(changed.executor ? { executor: changed.executor } : {}),
      ...(changed.failureClass === undefined ? {} : { failure_class: changed.failureClass }),
      ...(changed.error === undefined ? {} : { error: changed.error }),
      ...(changed.completedAt ? { completed_at: changed.completedAt } : {}),
    })
    .$if(changed.startedAt !== undefined, (query) =>
      query.set((eb) => ({ started_at: eb.fn.coalesce('started_at', eb.val(changed.startedAt!)) })),
    )
    .where('run_id', '=', runId)
    .where('attempt', '=', attempt)
    .execute()
}

export async function insertAttempt(
  tx: Tx,
  attempt: {
    workspaceId: string
    runId: string
    attempt: number
    stage: RunListed['stage']
    executor: RunListed['executor']
  },
): Promise<void> {
  await tx
    .insertInto('attempts')
    .values({
      workspace_id: attempt.workspaceId,
      run_id: attempt.runId,
      attempt: attempt.attempt,
      status: 'queued',
      stage: attempt.stage,
      executor: attempt.executor,
    })
    .execute()
}

export async function updateVerification(
  tx: Tx,
  runId: string,
  attempt: number,
  verification: Verification,
  evidence: Evidence,
): Promise<void> {
  await sql`
    with run as (update runs set evidence = ${JSON.stringify(evidence)} where id = ${runId})
    update attempts set verification = ${JSON.stringify(verification)}
    where run_id = ${runId} and attempt = ${attempt}
  `.execute(tx)
}

/** Enters a bill and adds it to the attempt. The cents are the millionths, rounded up, so that they never fall. */
export async function insertUsage(
  tx: Tx,
  usage: {
    workspaceId: string
    teamId: string
    runId: string
    attempt: number
    fence: number
    report: number
    at: Date
    amount: number
    currency: string
    euroRate: number
    euroMicros: number
  },
): Promise<void> {
  await sql`
    with entered as (
      insert into usage_ledger (workspace_id, team_id, run_id, attempt, fence, report, at, amount, currency,
        euro_rate, euro_micros)
      values (${usage.workspaceId}, ${usage.teamId}, ${usage.runId}, ${usage.attempt}, ${usage.fence},
        ${usage.report}, ${usage.at}, ${usage.amount}, ${usage.currency}, ${usage.euroRate}, ${usage.euroMicros})
    )
    update attempts set cost_micros = cost_micros + ${usage.euroMicros},
      cost_cents = ceil((cost_micros + ${usage.euroMicros}) / 10000.0)
    where run_id = ${usage.runId} and attempt = ${usage.attempt}
  `.execute(tx)
}

/** Which attempt an order belonged to, however long ago it was given out. */
export async function selectOrderedAttempt(
  tx: Tx,
  runId: string,
  fence: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ attempt: number }>`
    select (data ->> 'attempt')::int as attempt from effects
    where workspace_id = (select workspace_id from runs where id = ${runId}) and key = ${orderKey(runId, fence)}
  `.execute(tx)
  return rows[0]?.attempt
}

export const orderKey = (runId: string, fence: number) => `hand_out/${runId}/${fence}`

/** Runs of a team that want a slot and may have one now. */
export async function selectQueued(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  now: Date,
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r
    join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
    where r.workspace_id = ${workspaceId} and r.team_id = ${teamId} and r.place = 'queued' and r.wake_at <= ${now}
    -- What has begun first, so that in a paused team what has not does not stand in its way.
    order by coalesce((r.memory ->> 'fresh')::boolean, false), s.class_of_service = 'expedite' desc, r.id
    limit 20
  `.execute(tx)
  return rows
}

export interface ReadyStory {
  id: string
  key: string
  title: string
}

/** The story to take next: in Ready, complete, and not being worked on. In the order of `stories_in_column`. */
export async function selectNextReady(
  tx: Tx,
  workspaceId: string,
  teamId: string,
): Promise<ReadyStory | undefined> {
  const { rows } = await sql<ReadyStory>`
    select s.id, s.key, s.title from stories s
    where s.workspace_id = ${workspaceId} and s.team_id = ${teamId} and not s.draft
      and s.column_id = (
        select id from columns where workspace_id = ${workspaceId} and team_id = ${teamId} and role = 'ready'
      )
      and s.readiness_score = 100
      and not exists (
        select from runs r where r.workspace_id = s.workspace_id and r.story_id = s.id
          and r.place not in ('succeeded', 'failed', 'timed_out', 'stopped')
      )
    order by s.class_of_service <> 'expedite', s.created_at, s.id
    limit 1
    for no key update of s skip locked
  `.execute(tx)
  return rows[0]
}

export interface Spending {
  working: number
  /** What the runs at work may still spend. */
  reservedMicros: number
  dayMicros: number
  monthMicros: number
}

export async function selectSpending(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  now: Date,
): Promise<Spending> {
  const { rows } = await sql<Spending>`
    select
      (select count(*)::int from runs
        where workspace_id = ${workspaceId} and team_id = ${teamId} and place = 'working') as working,
      (select coalesce(sum(greatest(0, r.budget_cents * 10000::bigint - (
          select sum(a.cost_micros) from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.id
        ))), 0)::bigint
        from runs r where r.workspace_id = ${workspaceId} and r.team_id = ${teamId} and r.place = 'working'
      ) as "reservedMicros",
      (select coalesce(sum(euro_micros), 0)::bigint from usage_ledger
        where workspace_id = ${workspaceId} and team_id = ${teamId} and at >= ${startOfDay(now)}) as "dayMicros",
      (select coalesce(sum(euro_micros), 0)::bigint from usage_ledger
        where workspace_id = ${workspaceId} and team_id = ${teamId} and at >= ${startOfMonth(now)}) as "monthMicros"
  `.execute(tx)
  return rows[0]!
}

/** Why a run does not move. `stuck` when it will not without somebody's help. */
export interface Obstacle {
  reason: string
  stuck?: true
}

/** Says why queued runs do not move. They stay due: whatever frees them wakes the team, and the sweeper looks anyway. */
export async function noteReason(
  tx: Tx,
  ids: string[],
  { reason, stuck }: Obstacle,
  at: Date,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update runs set reason = ${reason}, stuck_since = ${stuck ? sql`coalesce(stuck_since, ${at})` : null}
    where id = any(${ids}) and place = 'queued' and reason is distinct from ${reason}
  `.execute(tx)
}

export async function selectTeamOf(tx: Tx, workspaceId: string, key: string): Promise<string | undefined> {
  const run = await tx
    .selectFrom('runs')
    .select('team_id')
    .where('workspace_id', '=', workspaceId)
    .where('key', '=', key)
    .executeTakeFirst()
  return run?.team_id
}

export async function hasOtherOpenRun(
  tx: Tx,
  workspaceId: string,
  runId: string,
  storyId: string,
): Promise<boolean> {
  const found = await tx
    .selectFrom('runs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('story_id', '=', storyId)
    .where('id', '<>', runId)
    .where('place', 'not in', ['succeeded', 'failed', 'timed_out', 'stopped'])
    .executeTakeFirst()
  return found !== undefined
}

type OrderRow = Pick<WorkOrder, 'fence' | 'run' | 'attempt' | 'stage' | 'executor' | 'team' | 'story'> & {
  place: Place
  teamId: string
  policyVersion: number
  budgetCents: number
  costMicros: number
  memory: Partial<Memory>
}

const order = statement<OrderRow>(`
  select r.fence, r.key as run, r.attempts as attempt, a.stage, a.executor, t.slug as team, r.place,
    t.id as "teamId", coalesce(r.policy_version, t.policy_version) as "policyVersion",
    r.budget_cents as "budgetCents", r.memory,
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros",
    json_build_object('key', s.key, 'title', s.title, 'size', s.size, 'complexity', s.complexity,
      'description', s.description, 'acceptanceCriteria', s.acceptance_criteria, 'demonstrate', s.demonstrate
    ) as story
  from ${source}
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectOrder(db: Db, workspaceId: string, id: string): Promise<OrderRow | undefined> {
  return (await read(db, order, { workspaceId, id }))[0]
}

const mergeRequest = statement<{
  run: string
  team: string
  teamId: string
  story: string
  mainRed: boolean
  mends: boolean
  pullRequest: RunListed['pullRequest']
}>(`
  select r.key as run, t.slug as team, t.id as "teamId", s.key as story, t.main_red_since is not null as "mainRed",
    (s.class_of_service = 'expedite' or coalesce((r.memory ->> 'mendsMain')::boolean, false)) as mends,
    (select row_to_json(pull_request) from (select
      r.pull_request_url as url, r.pull_request_number as number
      where r.pull_request_url is not null
    ) as pull_request) as "pullRequest"
  from ${source}
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectMergeRequest(db: Db, workspaceId: string, id: string) {
  return (await read(db, mergeRequest, { workspaceId, id }))[0]
}

/** Says why a run that the engine moves does not move. */
export async function updateReason(
  tx: Tx,
  id: string,
  reason: string,
  stuckSince: Date | null,
): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ reason, stuck_since: stuckSince })
    .where('id', '=', id)
    .where('place', 'in', ['queued', 'merging', 'watching', 'reverting'])
    .execute()
}

const overdue = statement<{ id: string; workspaceId: string }>(`
  select id, workspace_id as "workspaceId" from runs
  where place <> 'queued' and wake_at <= :now or place = 'working' and ordered_at <= :longAgo
  limit #rows`)

/** Runs whose work order is not heard of, or has had its time, and those whose call to the outside takes long. */
export async function selectOverdue(db: Db, now: Date, longAgo: Date, rows: number) {
  return read(db, overdue, { now, longAgo, rows })
}

const teamsWithWork = statement<{ id: string; workspaceId: string }>(`
  select t.id, t.workspace_id as "workspaceId" from teams t
  where t.policy_version is not null and t.deleted_at is null and (
    exists (
      select from runs r
      where r.workspace_id = t.workspace_id and r.team_id = t.id and r.place = 'queued' and r.wake_at <= :now
    )
    or t.paused_at is null and exists (
      select from stories s
      where s.workspace_id = t.workspace_id and s.team_id = t.id and not s.draft and s.readiness_score = 100
        -- Not a join: with one, every story of the installation is read.
        and s.column_id = (
          select c.id from columns c
          where c.workspace_id = t.workspace_id and c.team_id = t.id and c.role = 'ready'
        )
    )
  )
  limit #rows`)

/** Teams that may have something to start. */
export async function selectTeamsWithWork(db: Db, now: Date, rows: number) {
  return read(db, teamsWithWork, { now, rows })
}

/** Marks runs whose call to the outside fails again and again. Returns how many runs are stuck now. */
export async function markStuck(tx: Tx, now: Date): Promise<number> {
  await sql`
    update runs r set stuck_since = coalesce(r.stuck_since, ${now}), reason = e.kind || ' fails: ' || e.last_error
    from effects e
    where e.run_id = r.id and e.due_at is not null and e.attempts >= 3 and e.last_error is not null
      and r.place in ('working', 'merging', 'watching', 'reverting')
      and r.reason is distinct from e.kind || ' fails: ' || e.last_error
  `.execute(tx)
  const { rows } = await sql<{ stuck: number }>`
    select count(*)::int as stuck from runs where stuck_since is not null
  `.execute(tx)
  return rows[0]!.stuck
}

export interface StuckRun {
  key: string
  team: string
  story: string
  place: Place
  reason: string
  since: Date
}

const stuck = statement<StuckRun>(`
  select r.key, t.slug as team, s.key as story, r.place, r.reason, r.stuck_since as since
  from ${source}
  where r.workspace_id = :workspaceId and r.stuck_since is not null
  order by r.stuck_since
  limit 100`)

export async function selectStuck(db: Db, workspaceId: string): Promise<readonly StuckRun[]> {
  return read(db, stuck, { workspaceId })
}

export async function updateWake(tx: Tx, id: string, wakeAt: Date): Promise<void> {
  await tx.updateTable('runs').set({ wake_at: wakeAt }).where('id', '=', id).execute()
}

const openRunOf = statement<{ id: string }>(`
  select r.id from runs r
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  where r.workspace_id = :workspaceId and s.key = :storyKey
    and r.place not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

export async function selectOpenRunOf(db: Db, workspaceId: string, storyKey: string) {
  return (await read(db, openRunOf, { workspaceId, storyKey }))[0]
}

/** A merge that a run made and that was not taken back. */
export interface MergedRun {
  key: string
  commit: string
  mergedAt: Date
  story: { key: string; title: string }
  pullRequest: NonNullable<RunListed['pullRequest']>
  paths: string[]
  /** A person is asked already whether it is to be taken back. */
  isQuestioned: boolean
}

const merged = statement<MergedRun>(`
  select r.key, e.data ->> 'commit' as commit, e.at as "mergedAt",
    json_build_object('key', s.key, 'title', s.title) as story,
    json_build_object('url', r.pull_request_url, 'number', r.pull_request_number) as "pullRequest",
    coalesce(r.evidence -> 'changes' -> 'paths', '[]') as paths,
    r.place = 'waiting' as "isQuestioned"
  from (
    select * from runs
    where workspace_id = :workspaceId and team_id = :teamId and pull_request_number is not null
      and place in ('succeeded', 'watching', 'waiting')
    order by id desc
    limit 1000
  ) r
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  join run_events e on e.run_id = r.id and e.type = 'merged' and e.at >= :since
  order by e.at desc
  limit 200`)

export async function selectMerged(
  db: Db,
  workspaceId: string,
  teamId: string,
  since: Date,
): Promise<readonly MergedRun[]> {
  return read(db, merged, { workspaceId, teamId, since })
}
