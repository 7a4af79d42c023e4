import type { Isolation, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { connectedRunner } from './connected-runner.ts'
import { offlineAfterSeconds } from './offline.ts'

/** A runner that is there now, as whoever looks for somebody to do the work sees it. */
export interface Worker {
  id: string
  executors: RunnerExecutor[]
  isolation: Isolation
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

const workers = statement<Worker>(`
  select w.id, w.executors, w.isolation, w.labels, w.team_ids as "teamIds", w.state = 'pending' as "isPending",
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
export interface Waiting {
  labels: string[]
  teamId: string
  orders: number
}

const offered = statement<Waiting>(`
  select o.labels, r.team_id as "teamId", count(*)::int as orders from work_orders o
  join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
  where o.workspace_id = :workspaceId and o.state = 'offered' and o.offered_until is not null
    and o.executor = :executor
    -- Stories are given out first: a survey waits behind them.
    and o.job <> 'survey'
  group by o.labels, r.team_id`)

/** The orders for that agent that nobody has taken. */
export async function selectOffered(
  db: Db | Tx,
  workspaceId: string,
  executor: string,
): Promise<readonly Waiting[]> {
  return read(db, offered, { workspaceId, executor })
}
