import type { IsolationLevel } from '@signalbox/contract/isolation.ts'
import type { runStages } from '@signalbox/contract/run.ts'
import {
  adoptFeature,
  imageFeature,
  type jobs,
  mainCheckFeature,
  type RunnerGit,
  severalFeature,
  surveyFeature,
} from '@signalbox/contract/runner/messages.ts'
import { read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type * as Sql from './claim-store.types.ts'

/** Who asks for work. */
export interface Claimant {
  runnerId: string
  session: number
  name: string
}

/** What of a runner decides which orders are for it. */
export interface Means {
  /** Which of its agents it keeps in how well: every level that holds, for each. */
  capabilities: readonly { executor: string; level: IsolationLevel }[]
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

const runner = statement<Sql.Runner>(`
  select from runners
  where workspace_id = :workspaceId and id = :runnerId and session = :session and state = 'active' and not drains
    and left_at is null
  for no key update`)

const held = statement<Sql.Held>(`
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

/** The order that an earlier request with the same name was given. */
export const selectAsked = reads.one<
  Sql.SelectAsked,
  JobRef & { state: 'offered' | 'taken' | 'ended'; runnerId: string }
>('workspaceId, ask')(`
  select run_id as "runId", fence, job, state, runner_id as "runnerId!" from work_orders
  where workspace_id = :workspaceId and ask = :ask`)

const next = statement<Sql.Next, OfferedOrder>(`
  select o.run_id as "runId", o.fence, o.job, o.executor as "executor!", o.isolation as "isolation!", o.labels, o.offered_at as "offeredAt",
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
    -- The runner of a practice project works for its team alone, however it is pinned.
    and not exists (
      select from runners w
      join practice_projects p on p.workspace_id = w.workspace_id and p.token_id = w.token_id
      where w.workspace_id = o.workspace_id and w.id = :runnerId and p.team_id <> r.team_id
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
    ) and (:checksMain or r.memory ->> 'checks' is null))
  order by o.job = 'survey', s.class_of_service is distinct from 'expedite', o.offered_at, o.run_id
  limit 1
  for update of o skip locked`)

/** The order to give out next, held. Whatever another runner is being given just now is passed over. `left`: runs whose order is for others. */
export async function lockNextOrder(
  tx: Tx,
  workspaceId: string,
  { runnerId, capabilities, labels, features }: Means & Pick<Claimant, 'runnerId'>,
  { now, left }: { now: Date; left: string[] },
): Promise<OfferedOrder | undefined> {
  const knows = {
    surveys: features.includes(surveyFeature),
    adopts: features.includes(adoptFeature),
    images: features.includes(imageFeature),
    several: features.includes(severalFeature),
    checksMain: features.includes(mainCheckFeature),
  }
  const executors = capabilities.map(({ executor }) => executor)
  const levels = capabilities.map(({ level }) => level)
  return (
    await write(tx, next, handedIn({ ...knows, workspaceId, runnerId, executors, levels, labels, now, left }))
  )[0]
}

/** What a runner says of its git; null: nothing. */
export const selectGit = reads.one<Sql.SelectGit, { git: RunnerGit | null }>('workspaceId, runnerId')(`
  select git from runners where workspace_id = :workspaceId and id = :runnerId`)

/** Who has worked on a run, in any of its attempts. */
export const selectMakers = reads.column<Sql.SelectMakers>('workspaceId, runId')(`
  select distinct runner_id as "runnerId!" from work_orders
  where workspace_id = :workspaceId and run_id = :runId and job <> 'main_check' and runner_id is not null`)

/** Whether the runner that has that order has worked on its run before. */
export const selectIsByMaker = reads.exists<Sql.SelectIsByMaker>('workspaceId, runId, fence')(`
  select from work_orders o
  join work_orders made on made.workspace_id = o.workspace_id and made.run_id = o.run_id
    and made.runner_id = o.runner_id and made.job <> 'main_check'
  where o.workspace_id = :workspaceId and o.run_id = :runId and o.fence = :fence
  limit 1`)

export const markClaimed = writes.run<
  Sql.MarkClaimed,
  Nothing,
  Claimant & { ask: string; at: Date; leaseUntil: Date }
>('workspaceId, { runId, fence }, ...claim')(`
  with given as (
    update runners set orders_given = orders_given + 1
    where workspace_id = :workspaceId and id = :runnerId
  )
  update work_orders set state = 'taken', holder = :name, runner_id = :runnerId,
    session = :session, ask = :ask, taken_at = :at, lease_until = :leaseUntil
  where workspace_id = :workspaceId and run_id = :runId and fence = :fence`)

/** The name under which an order was asked for is free again once the order is over. */
export const clearAsk = writes.run<Sql.ClearAsk>('workspaceId, ask')(`
  update work_orders set ask = null
  where workspace_id = :workspaceId and ask = :ask and state = 'ended'`)

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

export const selectOrderByKey = reads.one<Sql.SelectOrderByKey, FoundOrder>('workspaceId, run, fence')(`
  select o.run_id as "runId", o.fence, o.job, o.stage, o.attempt, r.team_id as "teamId", o.runner_id as "runnerId",
    case when r.memory ->> 'at' is null then '{}' else array[r.memory ->> 'at'] || case
      when o.job = 'stage' and o.stage in ('planning', 'implementing') then array(
        select part ->> 'name' from jsonb_array_elements(r.memory -> 'parts') part
        where part ->> 'name' <> r.memory ->> 'at')
      else '{}' end end as "repositories!",
    w.instance, w.evidence_key as "evidenceKey", o.state = 'taken' as "isOpen", (
      select coalesce(max(report), 0) from run_events e
      where e.workspace_id = o.workspace_id and e.run_id = o.run_id and e.fence = o.fence
    ) as reported
  from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  left join runners w on w.workspace_id = o.workspace_id and w.id = o.runner_id
  where o.workspace_id = :workspaceId and r.key = :run and o.fence = :fence`)

const renewLeasesSql = statement<Sql.RenewLeases>(`
  update work_orders o set lease_until = :until, session = :session
  from runs r, unnest(:runs::text[], :fences::int[]) as named (run, fence)
  where o.workspace_id = :workspaceId and r.workspace_id = o.workspace_id and r.id = o.run_id
    and r.key = named.run and o.fence = named.fence and o.runner_id = :runnerId and o.state = 'taken'
  returning r.key as run, o.fence`)

/** Orders of a runner by the keys of their runs: `go_on` for those that it has. */
export async function renewLeases(
  tx: Tx,
  workspaceId: string,
  runnerId: string,
  orders: readonly { run: string; fence: number }[],
  { session, until }: { session: number; until: Date },
): Promise<readonly { run: string; fence: number }[]> {
  return write(tx, renewLeasesSql, {
    workspaceId,
    until,
    session,
    runs: orders.map(({ run }) => run),
    fences: orders.map(({ fence }) => fence),
    runnerId,
  })
}

const stopped = statement<Sql.Stopped>(`
  select r.key as run, r.phase as status from runs r where r.workspace_id = :workspaceId and r.key = any(:runs)`)

/** The phases of runs, to tell runners why their orders are over. */
export async function selectPhases(tx: Tx, workspaceId: string, runs: string[]) {
  return new Map((await read(tx, stopped, { workspaceId, runs })).map(({ run, status }) => [run, status]))
}

/** What a runner has. */
export const selectOrdersOfRunner = reads.many<Sql.SelectOrdersOfRunner, JobRef & { run: string }>(
  'workspaceId, runnerId',
)(`
  select o.run_id as "runId", o.fence, o.job, r.key as run from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  where o.workspace_id = :workspaceId and o.runner_id = :runnerId and o.state = 'taken'
  order by o.run_id`)

export const selectOffersOfAllWorkspaces = reads.column<Sql.SelectOffersOfAllWorkspaces>('now')(`
  select distinct workspace_id as "workspaceId" from work_orders
  where state = 'offered' and offered_until > :now`)
