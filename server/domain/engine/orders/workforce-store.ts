import type { Isolation, RunnerExecutor, RunnerGit } from '@signalbox/contract/runner/messages.ts'
import { type Db, read, type Tx } from '../../../infra/db/db.ts'
import { reads } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import { connectedRunner } from './connected-runner.ts'
import { offlineAfterSeconds } from './offline.ts'
import type * as Sql from './workforce-store.types.ts'

/** A runner that is there now, with what decides which work it can do. */
export interface Worker {
  id: string
  name: string
  /** What it knows beyond the first version of the protocol. */
  features: string[]
  executors: RunnerExecutor[]
  isolation: Isolation
  /** What it says of its git. Null: nothing. */
  git: RunnerGit | null
  labels: string[]
  /** The teams it works for; none: all of them. */
  teamIds: string[]
  /** An owner or admin is to approve it first. */
  isPending: boolean
  /** Takes no more work for now. */
  rests: boolean
  slots: number
  busy: number
}

const workers = statement<Sql.Workers, Worker>(`
  select w.id, w.name, w.features, w.executors, w.isolation, w.git, w.labels, w.team_ids as "teamIds", w.state = 'pending' as "isPending",
    w.state <> 'active' or w.drains as rests, w.slots, (
      select count(*)::int from work_orders o
      where o.workspace_id = w.workspace_id and o.runner_id = w.id and o.state = 'taken'
    ) as busy
  from ${connectedRunner}
  where w.workspace_id = :workspaceId and w.last_seen_at > :since
  order by w.id`)

/** The runners of a workspace that are there. */
export async function selectWorkers(db: Db | Tx, workspaceId: string, now: Date): Promise<readonly Worker[]> {
  const since = new Date(now.getTime() - offlineAfterSeconds * 1000)
  return read(db, workers, { workspaceId, now, since })
}

/** Orders of a team that lie there, and will take a slot each of a runner with these labels. */
export type Waiting = Sql.SelectOffered['row']

/** The slots of the runners that are there, and the orders that have one or are to get one. */
export interface Capacity {
  slots: number
  /** How many slots are not taken. Who may use them is another question, and so is what is offered already. */
  free: number
  orders: readonly string[]
}

const capacity = statement<Sql.Capacity, Capacity>(`
  with there as (
    select w.slots, (
        select count(*) from work_orders o
        where o.workspace_id = w.workspace_id and o.runner_id = w.id and o.state = 'taken'
      ) as taken
    from ${connectedRunner}
    where w.workspace_id = :workspaceId and w.last_seen_at > :since and w.state = 'active' and not w.drains
  )
  select coalesce(sum(slots), 0)::int as slots, coalesce(sum(greatest(0, slots - taken)), 0)::int as free,
    -- Two parts, because each state has an index of its own.
    array(
      select run_id || '/' || fence from work_orders where workspace_id = :workspaceId and state = 'offered'
      union all
      select run_id || '/' || fence from work_orders where workspace_id = :workspaceId and state = 'taken'
    ) as "orders!"
  from there`)

/** Whether a slot has become free since: what could not be served then may be now. */
export const hasFreedSlot = (before: Capacity, now: Capacity): boolean =>
  now.slots > before.slots || before.orders.some((order) => !now.orders.includes(order))

export async function selectCapacity(db: Db | Tx, workspaceId: string, now: Date): Promise<Capacity> {
  const since = new Date(now.getTime() - offlineAfterSeconds * 1000)
  return (await read(db, capacity, { workspaceId, now, since }))[0]!
}

/** The teams whose work is done by runners. */
export const selectTeamsWithRepository = reads.many<Sql.SelectTeamsWithRepository>('workspaceId')(`
  select distinct t.id from teams t
  join team_repositories r on r.workspace_id = t.workspace_id and r.team_id = t.id
  where t.workspace_id = :workspaceId and t.deleted_at is null and t.policy_version is not null`)

/**
 * The teams that have something for a runner to begin, each with the last run that it has begun: first those that have
 * least at work, and began something longest ago.
 */
export const selectTeamsInLine = reads.many<Sql.SelectTeamsInLine>('workspaceId, now')(`
  select t.id, last.id as "lastRun" from teams t
  -- Ids are in the order of time.
  left join lateral (
    select r.id from runs r where r.workspace_id = t.workspace_id and r.team_id = t.id order by r.id desc limit 1
  ) last on true
  where t.workspace_id = :workspaceId and t.deleted_at is null and t.paused_at is null
    and t.policy_version is not null
    and exists (select from team_repositories r where r.workspace_id = t.workspace_id and r.team_id = t.id)
    and (
      exists (
        select from runs r
        where r.workspace_id = t.workspace_id and r.team_id = t.id and r.phase = 'queued' and r.wake_at <= :now
      )
      or exists (
        select from columns c
        -- One is enough, and is looked for in its column: without the limit all stories would be gone through.
        cross join lateral (
          select from stories s
          where s.workspace_id = c.workspace_id and s.team_id = c.team_id and s.column_id = c.id and not s.draft limit 1
        ) first
        where c.workspace_id = t.workspace_id and c.team_id = t.id and c.role = 'ready'
      )
    )
  order by (
      select count(*) from runs r
      where r.workspace_id = t.workspace_id and r.team_id = t.id and r.phase = 'working'
    ), last.id nulls first, t.id`)

/** The orders for that agent that no one has taken. */
export const selectOffered = reads.many<Sql.SelectOffered>('workspaceId, executor')(`
  select o.labels, r.team_id as "teamId", count(*)::int as orders from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  where o.workspace_id = :workspaceId and o.state = 'offered' and o.offered_until is not null
    and o.executor = :executor
    -- Stories are given out first: a survey waits behind them.
    and o.job <> 'survey'
  group by o.labels, r.team_id`)
