import type { IsolationLevel } from '@signalbox/contract/isolation.ts'
import type { runStages } from '@signalbox/contract/run.ts'
import {
  adoptFeature,
  imageFeature,
  type jobs,
  severalFeature,
  surveyFeature,
} from '@signalbox/contract/runner/messages.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

/** Who asks for work. */
export interface Claimant {
  runnerId: string
  session: number
  name: string
}

/** What of a runner decides which orders are for it. */
export interface Means {
  /** Which of its agents it keeps in how well: every level that holds, for each. */
  keeps: readonly { executor: string; level: IsolationLevel }[]
  labels: string[]
  slots: number
  /** What it knows beyond the first version of the protocol. */
  features: readonly string[]
}

interface Ref {
  runId: string
  fence: number
}

export interface JobRef extends Ref {
  job: (typeof jobs)[number]
}

/** An order that lies there, with what it takes to do it. */
export interface OfferedOrder extends JobRef {
  executor: string
  isolation: IsolationLevel
  labels: string[]
  /** Its repository's work runs in an image. */
  needsImage: boolean
  /** Whether its run is about several repositories. */
  isInSeveral: boolean
  offeredAt: Date
  teamId: string
}

const runner = statement(`
  select from runners
  where workspace_id = :workspaceId and id = :runnerId and session = :session and state = 'active' and not drains
    and left_at is null
  for no key update`)

const held = statement<{ count: number }>(`
  select count(*)::int as count from work_orders
  where workspace_id = :workspaceId and runner_id = :runnerId and state = 'taken'`)

/**
 * Holds a runner that may be given work, and counts what it has; undefined: it may not. Two statements, because one that
 * waited for the lock would count what was there before.
 */
export async function lockClaimant(
  tx: Tx,
  workspaceId: string,
  { runnerId, session }: Claimant,
): Promise<number | undefined> {
  const found = await write(tx, runner, { workspaceId, runnerId, session })
  return found.length === 0 ? undefined : (await read(tx, held, { workspaceId, runnerId }))[0]!.count
}

const asked = statement<JobRef & { state: 'offered' | 'taken' | 'ended'; runnerId: string }>(`
  select run_id as "runId", fence, job, state, runner_id as "runnerId" from work_orders
  where workspace_id = :workspaceId and ask = :ask`)

/** What was given to whoever asked before under the same name. */
export async function selectAsked(db: Db | Tx, workspaceId: string, ask: string) {
  return (await read(db, asked, { workspaceId, ask }))[0]
}

const next = statement<OfferedOrder>(`
  select o.run_id as "runId", o.fence, o.job, o.executor, o.isolation, o.labels, o.offered_at as "offeredAt",
    r.team_id as "teamId", coalesce(code.inside, 'tools') <> 'tools' as "needsImage",
    coalesce(jsonb_array_length(r.memory -> 'parts'), 0) > 0 as "isInSeveral"
  from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  left join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
  left join lateral (
    select c.inside from team_repositories c
    where c.workspace_id = r.workspace_id and c.team_id = r.team_id
    order by c.name is distinct from (r.memory ->> 'at'), c.name limit 1
  ) code on true
  where o.workspace_id = :workspaceId and o.state = 'offered' and o.offered_until > :now
    and (o.executor, o.isolation) in (select * from unnest(:executors::text[], :levels::text[]))
    and o.labels <@ :labels
    -- One that is pinned to teams works for them alone.
    and exists (
      select from runners w
      where w.workspace_id = o.workspace_id and w.id = :runnerId
        and (w.team_ids = '{}' or r.team_id = any(w.team_ids))
    )
    and o.run_id <> all(:left)
    -- Who cannot put an image into the box is given nothing that runs in one.
    and (:images or coalesce(code.inside, 'tools') = 'tools')
    -- Who works in one repository at a time is given nothing of a run that is about several.
    and (:several or coalesce(jsonb_array_length(r.memory -> 'parts'), 0) = 0)
    -- Who does not know a job is given none. A paused team is not surveyed.
    and (o.job <> 'adopt' or :adopts)
    and (o.job <> 'survey' or :surveys and exists (
      select from teams t where t.workspace_id = r.workspace_id and t.id = r.team_id and t.paused_at is null
    ))
  order by o.job = 'survey', s.class_of_service is distinct from 'expedite', o.offered_at, o.run_id
  limit 1
  for update of o skip locked`)

/** The order to give out next, held. Whatever another runner is being given just now is passed over. `left`: runs whose order is for others. */
export async function lockNextOrder(
  tx: Tx,
  workspaceId: string,
  { runnerId, keeps, labels, features }: Means & Pick<Claimant, 'runnerId'>,
  { now, left }: { now: Date; left: string[] },
): Promise<OfferedOrder | undefined> {
  const knows = {
    surveys: features.includes(surveyFeature),
    adopts: features.includes(adoptFeature),
    images: features.includes(imageFeature),
    several: features.includes(severalFeature),
  }
  const executors = keeps.map(({ executor }) => executor)
  const levels = keeps.map(({ level }) => level)
  return (await write(tx, next, { workspaceId, runnerId, executors, levels, labels, ...knows, now, left }))[0]
}

const makers = statement<{ runnerId: string }>(`
  select distinct runner_id as "runnerId" from work_orders
  where workspace_id = :workspaceId and run_id = :runId and job <> 'main_check' and runner_id is not null`)

/** Who has worked on a run, in any of its attempts. */
export async function selectMakers(tx: Tx, workspaceId: string, runId: string): Promise<string[]> {
  return (await read(tx, makers, { workspaceId, runId })).map(({ runnerId }) => runnerId)
}

const byMaker = statement(`
  select from work_orders o
  join work_orders made on made.workspace_id = o.workspace_id and made.run_id = o.run_id
    and made.runner_id = o.runner_id and made.job <> 'main_check'
  where o.workspace_id = :workspaceId and o.run_id = :runId and o.fence = :fence
  limit 1`)

/** Whether whoever has that order has worked on its run before. */
export async function selectIsByMaker(
  db: Db,
  workspaceId: string,
  runId: string,
  fence: number,
): Promise<boolean> {
  return (await read(db, byMaker, { workspaceId, runId, fence })).length > 0
}

export async function markClaimed(
  tx: Tx,
  workspaceId: string,
  { runId, fence }: Ref,
  claim: Claimant & { ask: string; at: Date; leaseUntil: Date },
): Promise<void> {
  await sql`
    with given as (
      update runners set orders_given = orders_given + 1
      where workspace_id = ${workspaceId} and id = ${claim.runnerId}
    )
    update work_orders set state = 'taken', holder = ${claim.name}, runner_id = ${claim.runnerId},
      session = ${claim.session}, ask = ${claim.ask}, taken_at = ${claim.at}, lease_until = ${claim.leaseUntil}
    where workspace_id = ${workspaceId} and run_id = ${runId} and fence = ${fence}
  `.execute(tx)
}

/** The name under which an order was asked for is free again once the order is over. */
export async function clearAsk(tx: Tx, workspaceId: string, ask: string): Promise<void> {
  await sql`
    update work_orders set ask = null
    where workspace_id = ${workspaceId} and ask = ${ask} and state = 'ended'
  `.execute(tx)
}

interface FoundOrder extends JobRef {
  teamId: string
  /** The repositories that it is about, by name, the one whose turn it is first; none: the team's first. */
  repositories: string[]
  stage: (typeof runStages)[number]
  attempt: number
  runnerId: string | null
  /** By which the runner that has it knows itself, and what it signs evidence with. */
  instance: string | null
  evidenceKey: string | null
  isOpen: boolean
  /** The last report of it that was counted; reports are numbered from 1. */
  reported: number
}

const byKey = statement<FoundOrder>(`
  select o.run_id as "runId", o.fence, o.job, o.stage, o.attempt, r.team_id as "teamId", o.runner_id as "runnerId",
    case when r.memory ->> 'at' is null then '{}' else array[r.memory ->> 'at'] || case
      when o.job = 'stage' and o.stage in ('planning', 'implementing') then array(
        select part ->> 'name' from jsonb_array_elements(r.memory -> 'parts') part
        where part ->> 'name' <> r.memory ->> 'at')
      else '{}' end end as repositories,
    w.instance, w.evidence_key as "evidenceKey", o.state = 'taken' as "isOpen", (
      select coalesce(max(report), 0) from run_events e
      where e.workspace_id = o.workspace_id and e.run_id = o.run_id and e.fence = o.fence
    ) as reported
  from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  left join runners w on w.workspace_id = o.workspace_id and w.id = o.runner_id
  where o.workspace_id = :workspaceId and r.key = :run and o.fence = :fence`)

export async function selectOrderByKey(
  db: Db,
  workspaceId: string,
  run: string,
  fence: number,
): Promise<FoundOrder | undefined> {
  return (await read(db, byKey, { workspaceId, run, fence }))[0]
}

/** Orders of a runner by the keys of their runs: `go_on` for those that it has. */
export async function renewLeases(
  tx: Tx,
  workspaceId: string,
  runnerId: string,
  orders: readonly { run: string; fence: number }[],
  { session, until }: { session: number; until: Date },
): Promise<readonly { run: string; fence: number }[]> {
  const { rows } = await sql<{ run: string; fence: number }>`
    update work_orders o set lease_until = ${until}, session = ${session}
    from runs r, unnest(${orders.map(({ run }) => run)}::text[], ${orders.map(({ fence }) => fence)}::int[]) as named (run, fence)
    where o.workspace_id = ${workspaceId} and r.workspace_id = o.workspace_id and r.id = o.run_id
      and r.key = named.run and o.fence = named.fence and o.runner_id = ${runnerId} and o.state = 'taken'
    returning r.key as run, o.fence
  `.execute(tx)
  return rows
}

const stopped = statement<{ run: string; status: string }>(`
  select r.key as run, r.phase as status from runs r where r.workspace_id = :workspaceId and r.key = any(:runs)`)

/** Where runs stand, for whoever works on them in vain. */
export async function selectPhases(tx: Tx, workspaceId: string, runs: string[]) {
  return new Map((await read(tx, stopped, { workspaceId, runs })).map(({ run, status }) => [run, status]))
}

const ofRunner = statement<JobRef & { run: string }>(`
  select o.run_id as "runId", o.fence, o.job, r.key as run from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  where o.workspace_id = :workspaceId and o.runner_id = :runnerId and o.state = 'taken'
  order by o.run_id`)

/** What a runner has. */
export async function selectOrdersOfRunner(
  tx: Tx,
  workspaceId: string,
  runnerId: string,
): Promise<readonly (JobRef & { run: string })[]> {
  return read(tx, ofRunner, { workspaceId, runnerId })
}

const workspacesWithOffers = statement<{ workspaceId: string }>(`
  select distinct workspace_id as "workspaceId" from work_orders
  where state = 'offered' and offered_until > :now`)

export async function selectOffersOfAllWorkspaces(db: Db, now: Date): Promise<string[]> {
  return (await read(db, workspacesWithOffers, { now })).map(({ workspaceId }) => workspaceId)
}
