import type { Evidence, RunListed, Verification } from '@signalbox/contract/run.ts'
import type { Isolation, RunnerEvent, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import { sql } from 'kysely'
import { assignments } from '../../infra/db/assignments.ts'
import { type Db, read, type Tx, unwaited, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Attempts } from '../../infra/db/tables.ts'
import type { Verified } from '../ports/git-host.ts'
import type { Phase } from '../runs/phase.ts'
import { blank, type Memory, type RunState } from './machine.ts'
import { type Derived, type Part, partsOf } from './parts.ts'

// The latest attempt carries the run's status, stage, executor and failure class.
export const runSource = `
  runs r
  join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
`

/** A run as the engine needs it. */
export interface LockedRun {
  id: string
  key: string
  phase: Phase
  version: number
  fence: number
  stage: RunListed['stage']
  attempt: number
  budgetCents: number
  costMicros: number
  memory: Partial<Memory>
  pullRequest: RunListed['pullRequest']
  policyVersion: number
  wakeAt: Date | null
  team: { id: string; slug: string; name: string }
  story: { id: string; key: string; title: string } & Pick<StoryListed, 'size' | 'complexity' | 'tracker'>
}

const held = statement<LockedRun>(`
  select r.id, r.key, r.phase, r.version, r.fence, a.stage, r.attempts as attempt,
    r.budget_cents as "budgetCents",
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros",
    r.memory, r.wake_at as "wakeAt",
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
  from ${runSource}
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
): Promise<LockedRun | undefined> {
  // Sent before the other, which is answered once the run is held.
  await write(unwaited(tx), lock, { workspaceId, ...by })
  return (await read(tx, held, { workspaceId, ...by }))[0]
}

/** Writes where the run stands now and, as its own row, what led there. */
export async function updateRun(
  tx: Tx,
  workspaceId: string,
  run: {
    id: string
    version: number
    state: RunState
    wakeAt: Date | null
    policyVersion: number
    event: { at: Date; type: string; data: unknown; fence: number | null; report: number | null }
  },
): Promise<void> {
  const { state, event } = run
  await sql`
    with event as (
      insert into run_events (workspace_id, run_id, seq, at, type, data, fence, report, phase, stage, attempt)
      values (${workspaceId}, ${run.id}, ${run.version}, ${event.at}, ${event.type},
        ${JSON.stringify(event.data)}, ${event.fence}, ${event.report}, ${state.phase}, ${state.stage}, ${state.attempt})
    )
    update runs set phase = ${state.phase}, version = ${run.version}, fence = ${state.fence},
      attempts = ${state.attempt}, budget_cents = ${state.budgetCents}, memory = ${JSON.stringify(state.memory)},
      pull_request_url = ${state.pullRequest?.url ?? null},
      pull_request_number = ${state.pullRequest?.number ?? null},
      wake_at = ${run.wakeAt}, policy_version = ${run.policyVersion},
      reason = null, stuck_since = null
    where workspace_id = ${workspaceId} and id = ${run.id}
  `.execute(unwaited(tx))
}

/** Notes an event that moved nothing. Whoever is heard of is not stuck. */
export async function appendEvent(
  tx: Tx,
  workspaceId: string,
  run: { id: string; version: number; isAlive: boolean },
  event: { at: Date; type: string; data: unknown; fence: number | null; report: number | null },
): Promise<void> {
  await sql`
    with event as (
      insert into run_events (workspace_id, run_id, seq, at, type, data, fence, report)
      values (${workspaceId}, ${run.id}, ${run.version}, ${event.at}, ${event.type},
        ${JSON.stringify(event.data)}, ${event.fence}, ${event.report})
    )
    update runs set version = ${run.version},
      reason = case when ${run.isAlive} then null else reason end,
      stuck_since = case when ${run.isAlive} then null else stuck_since end
    where workspace_id = ${workspaceId} and id = ${run.id}
  `.execute(tx)
}

const reported = statement(`
  select from run_events
  where workspace_id = :workspaceId and run_id = :runId and fence = :fence and report = :report`)

export async function isReported(
  tx: Tx,
  workspaceId: string,
  runId: string,
  fence: number,
  report: number,
): Promise<boolean> {
  return (await read(tx, reported, { workspaceId, runId, fence, report })).length > 0
}

export async function insertRun(
  tx: Tx,
  workspaceId: string,
  run: {
    id: string
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
      insert into runs (id, workspace_id, team_id, story_id, key, attempts, budget_cents, phase, wake_at,
        policy_version, memory, created_at)
      values (${run.id}, ${workspaceId}, ${run.teamId}, ${run.storyId}, ${run.key}, 1, ${run.budgetCents},
        'queued', ${run.at}, ${run.policyVersion}, ${JSON.stringify(run.memory)}, ${run.at})
    )
    insert into attempts (workspace_id, run_id, attempt, status, stage, executor)
    values (${workspaceId}, ${run.id}, 1, 'queued', 'planning', ${run.executor})
  `.execute(tx)
}

export async function updateAttempt(
  tx: Tx,
  workspaceId: string,
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
  const { status, stage, failureClass, error, startedAt, completedAt, executor } = changed
  const changes = assignments<Attempts>({
    status,
    stage,
    failure_class: failureClass,
    error,
    started_at: startedAt && sql`coalesce(started_at, ${startedAt})`,
    completed_at: completedAt,
    executor,
  })
  await sql`
    update attempts set ${changes}
    where workspace_id = ${workspaceId} and run_id = ${runId} and attempt = ${attempt}
  `.execute(unwaited(tx))
}

/** Which agent an attempt has, and what holds it. */
export async function updateAgent(
  tx: Tx,
  workspaceId: string,
  runId: string,
  attempt: number,
  { isolation, agent }: { isolation: Isolation; agent: RunnerExecutor },
): Promise<void> {
  await sql`
    update attempts set isolation = ${JSON.stringify(isolation)}, agent = ${JSON.stringify(agent)}
    where workspace_id = ${workspaceId} and run_id = ${runId} and attempt = ${attempt}
  `.execute(tx)
}

export async function insertAttempt(
  tx: Tx,
  workspaceId: string,
  {
    runId,
    attempt,
    stage,
    executor,
  }: { runId: string; attempt: number } & Pick<RunListed, 'stage' | 'executor'>,
): Promise<void> {
  await sql`
    insert into attempts (workspace_id, run_id, attempt, status, stage, executor)
    values (${workspaceId}, ${runId}, ${attempt}, 'queued', ${stage}, ${executor})
  `.execute(unwaited(tx))
}

export async function updateVerification(
  tx: Tx,
  workspaceId: string,
  runId: string,
  attempt: number,
  verification: Verification,
  evidence: Evidence,
): Promise<void> {
  await sql`
    with run as (
      update runs set evidence = ${JSON.stringify(evidence)} where workspace_id = ${workspaceId} and id = ${runId}
    )
    update attempts set verification = ${JSON.stringify(verification)}
    where workspace_id = ${workspaceId} and run_id = ${runId} and attempt = ${attempt}
  `.execute(tx)
}

type Usage = Extract<RunnerEvent, { type: 'usage' }>

/** Enters a bill and adds it to the attempt. The cents are the millionths, rounded up, so that they never fall. */
export async function insertUsage(
  tx: Tx,
  workspaceId: string,
  usage: {
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
  } & Omit<Usage, 'type' | 'amount' | 'currency'>,
): Promise<void> {
  await sql`
    with entered as (
      insert into usage_ledger (workspace_id, team_id, run_id, attempt, fence, report, at, amount, currency,
        euro_rate, euro_micros, source, provider, model, input_tokens, cache_read_tokens, cache_write_tokens,
        output_tokens, price_table)
      values (${workspaceId}, ${usage.teamId}, ${usage.runId}, ${usage.attempt}, ${usage.fence},
        ${usage.report}, ${usage.at}, ${usage.amount}, ${usage.currency}, ${usage.euroRate}, ${usage.euroMicros},
        ${usage.source ?? null}, ${usage.provider ?? null}, ${usage.model ?? null}, ${usage.input ?? null},
        ${usage.cacheRead ?? null}, ${usage.cacheWrite ?? null}, ${usage.output ?? null}, ${usage.priceTable ?? null})
    )
    update attempts set cost_micros = cost_micros + ${usage.euroMicros},
      cost_cents = ceil((cost_micros + ${usage.euroMicros}) / 10000.0)
    where workspace_id = ${workspaceId} and run_id = ${usage.runId} and attempt = ${usage.attempt}
  `.execute(tx)
}

const teamOf = statement<{ teamId: string }>(`
  select team_id as "teamId" from runs
  where workspace_id = :workspaceId [[and id = :id]] [[and key = :key]]`)

export async function selectTeamOf(
  tx: Tx,
  workspaceId: string,
  by: { id: string } | { key: string },
): Promise<string | undefined> {
  return (await read(tx, teamOf, { workspaceId, ...by }))[0]?.teamId
}

const otherOpenRun = statement(`
  select from runs
  where workspace_id = :workspaceId and story_id = :storyId and id <> :runId
    and phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

export async function hasOtherOpenRun(
  tx: Tx,
  workspaceId: string,
  runId: string,
  storyId: string,
): Promise<boolean> {
  return (await read(tx, otherOpenRun, { workspaceId, runId, storyId })).length > 0
}

const mergeRequest = statement<{
  run: string
  team: string
  teamId: string
  story: string
  mainRed: boolean
  mends: boolean
  pullRequest: RunListed['pullRequest']
  /** The commit that was verified and pushed, and the one it was merged as. */
  head: string | null
  merged: string | null
  /** What the server has read out of that commit, and what people were shown of it. */
  derived: Derived | null
  paths: string[] | null
  onBase: Memory['onBase']
  mainSeen: Memory['mainSeen']
  memory: Partial<Memory>
}>(`
  select r.key as run, t.slug as team, t.id as "teamId", s.key as story, r.memory, t.main_red_since is not null as "mainRed",
    (s.class_of_service = 'expedite' or coalesce((r.memory ->> 'mendsMain')::boolean, false)) as mends,
    (select row_to_json(pull_request) from (select
      r.pull_request_url as url, r.pull_request_number as number
      where r.pull_request_url is not null
    ) as pull_request) as "pullRequest",
    r.memory -> 'branch' ->> 'head' as head, r.memory ->> 'merged' as merged,
    nullif(r.memory -> 'derived', 'null') as derived, r.memory -> 'change' -> 'paths' as paths,
    nullif(r.memory -> 'onBase', 'null') as "onBase", nullif(r.memory -> 'mainSeen', 'null') as "mainSeen"
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

/** What is asked of the host about the pull request of a run. Only what was verified and pushed is called so. */
export async function selectMergeRequest(db: Db, workspaceId: string, id: string) {
  const row = (await read(db, mergeRequest, { workspaceId, id }))[0]
  if (!row) return
  const { derived, paths, memory, ...request } = row
  const { at = null, parts = [] } = memory
  const isPushed = derived !== null && derived.head === request.head
  return {
    ...request,
    at,
    parts: partsOf({ ...blank, ...memory }),
    ...(parts.length > 0 ? ofPart(parts.find(({ name }) => name === at)!) : {}),
    verified: isPushed ? verifiedOf(derived, pathsOf(memory) ?? paths ?? []) : null,
  }
}

type MergeRow = NonNullable<Awaited<ReturnType<typeof selectMergeRequest>>>

/** The same for another of the run's repositories, as far as it is known. */
export const requestOfPart = (row: MergeRow, part: Part): MergeRow => {
  const { branch, derived, merged, onBase, mainSeen, change } = part
  const isPushed = derived !== null && derived.head === branch?.head
  return {
    ...row,
    ...{ at: part.name, head: branch?.head ?? null, merged, onBase, mainSeen, ...ofPart(part) },
    verified: isPushed ? verifiedOf(derived, change?.paths ?? []) : null,
  }
}

const ofPart = ({ pullRequest }: Part) => ({ pullRequest })
const pathsOf = ({ parts = [], at }: Partial<Memory>) => parts.find(({ name }) => name === at)?.change?.paths

const verifiedOf = ({ pinnedPaths, toldDiff, ...derived }: Derived, paths: readonly string[]): Verified => ({
  ...derived,
  paths: [...paths, ...pinnedPaths],
})

// A run in several repositories has one in each; a run in one has it where it works, which is the first unless it says.
const isPullRequest = `case
    when jsonb_array_length(coalesce(r.memory -> 'parts', '[]')) > 0 then r.memory -> 'parts' @> jsonb_build_array(
      jsonb_build_object('name', :repository::text, 'pullRequest', jsonb_build_object('number', :number::int)))
    else r.pull_request_number = :number and :repository = coalesce(r.memory ->> 'at', (
      select min(c.name) from team_repositories c where c.workspace_id = r.workspace_id and c.team_id = r.team_id), :repository)
  end`

const ofPullRequest = statement<{ id: string }>(`
  select r.id
  from ${runSource}
  where r.workspace_id = :workspaceId and t.slug = :team and ${isPullRequest}
    and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
  order by r.id desc
  limit 1`)

/** A pull request, by the name of its repository. */
interface NamedPullRequest {
  repository: string
  number: number
}

/** The run that a pull request of a team's repository belongs to, while it goes on. */
export async function selectRunOfPullRequest(
  db: Db,
  workspaceId: string,
  team: string,
  pullRequest: NamedPullRequest,
) {
  return (await read(db, ofPullRequest, { workspaceId, team, ...pullRequest }))[0]?.id
}

const everyOfPullRequest = statement<{ id: string }>(`
  select r.id
  from ${runSource}
  where r.workspace_id = :workspaceId and t.slug = :team and ${isPullRequest}
    and r.phase in ('queued', 'working', 'waiting', 'opening', 'succeeded') and r.memory ->> 'merged' is null
  order by r.id`)

/** Runs for which it matters what becomes of that pull request: those that go on, and those whose people merge. */
export async function selectRunsOfPullRequest(
  db: Db,
  workspaceId: string,
  team: string,
  pullRequest: NamedPullRequest,
) {
  return (await read(db, everyOfPullRequest, { workspaceId, team, ...pullRequest })).map(({ id }) => id)
}

/** Takes the runs whose pull request was not looked at since then; nobody else looks for as long. */
export async function takePullRequestLooksOfAllWorkspaces(
  tx: Tx,
  now: Date,
  { open, ended, endedAfter, most }: { open: Date; ended: Date; endedAfter: Date; most: number },
): Promise<{ id: string; workspaceId: string }[]> {
  const { rows } = await sql<{ id: string; workspaceId: string }>`
    update runs r set pull_request_looked_at = ${now}
    from (
      select r.id from runs r
      join workspaces w on w.id = r.workspace_id and w.deleted_at is null
      where r.pull_request_number is not null
        and r.phase in ('queued', 'working', 'waiting', 'opening', 'succeeded') and r.memory ->> 'merged' is null
        and exists (select from team_repositories c where c.workspace_id = r.workspace_id and c.team_id = r.team_id)
        and (r.pull_request_looked_at is null or r.pull_request_looked_at <= case
          when r.phase = 'succeeded' then ${ended}::timestamptz else ${open}::timestamptz end)
        and (r.phase <> 'succeeded' or r.created_at > ${endedAfter})
      order by r.pull_request_looked_at nulls first
      limit ${most}
      for no key update of r skip locked
    ) as due
    where r.id = due.id
    returning r.id, r.workspace_id as "workspaceId"
  `.execute(tx)
  return rows
}

/** Something was learnt of a run that has ended, and moves nothing. */
export async function updateMemory(tx: Tx, workspaceId: string, id: string, memory: Memory): Promise<void> {
  await sql`
    update runs set memory = ${JSON.stringify(memory)} where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

/** What became of it is known: it is not asked for again. */
export async function endPullRequestLooks(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await sql`
    update runs set pull_request_looked_at = 'infinity' where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

const handOver = statement<{
  run: string
  team: string
  teamId: string
  story: string
  title: string
  branch: Memory['branch']
  base: string | null
  onBase: Memory['onBase']
  memory: Partial<Memory>
}>(`
  select r.key as run, t.slug as team, t.id as "teamId", s.key as story, s.title, r.memory, r.memory -> 'branch' as branch,
    r.memory ->> 'base' as base, nullif(r.memory -> 'onBase', 'null') as "onBase"
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

/** What a pull request says of the run whose branch was pushed. */
export async function selectHandOver(db: Db, workspaceId: string, id: string) {
  return (await read(db, handOver, { workspaceId, id }))[0]
}

export async function updateWake(tx: Tx, workspaceId: string, id: string, wakeAt: Date): Promise<void> {
  await sql`update runs set wake_at = ${wakeAt} where workspace_id = ${workspaceId} and id = ${id}`.execute(
    tx,
  )
}

const openRunOf = statement<{ id: string }>(`
  select r.id from runs r
  join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  where r.workspace_id = :workspaceId and s.key = :storyKey
    and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')`)

export async function selectOpenRunOf(db: Db, workspaceId: string, storyKey: string) {
  return (await read(db, openRunOf, { workspaceId, storyKey }))[0]
}
