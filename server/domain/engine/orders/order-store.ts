import type { IsolationLevel } from '@signalbox/contract/isolation.ts'
import type { jobs } from '@signalbox/contract/runner/messages.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type { WorkOrder } from '../../ports/work.ts'
import type { Phase } from '../../work/runs/phase.ts'
import type { Memory } from '../machine/machine.ts'
import { runSource } from '../machine/run-store.ts'
import { stageSeconds } from '../machine/stage-time.ts'
import { connectedRunner } from './connected-runner.ts'
import type * as Sql from './order-store.types.ts'

type Job = (typeof jobs)[number]

export const insertOrder = writes.run<
  Sql.InsertOrder,
  Nothing,
  { stage: WorkOrder['stage']; job: Job; executor: WorkOrder['executor']; isolation: IsolationLevel }
>('workspaceId, ...order')(`
  insert into work_orders (workspace_id, run_id, fence, attempt, stage, job, executor, isolation, labels, state, offered_at,
    offered_until, lease_until)
  values (:workspaceId, :runId, :fence, :attempt, :stage, :job,
    :executor, :isolation, :labels, 'offered', :at, :offeredUntil?, :leaseUntil)`)

/** An order that a person took before it was offered to anyone. */
export const insertLocalOrder = writes.run<Sql.InsertLocalOrder, Nothing, { stage: WorkOrder['stage'] }>(
  'workspaceId, ...order',
)(`
  insert into work_orders (workspace_id, run_id, fence, attempt, stage, job, state, holder, person_id, offered_at,
    taken_at, lease_until)
  values (:workspaceId, :runId, :fence, :attempt, :stage, 'stage', 'taken',
    :holder, :personId, :at, :at, :leaseUntil)`)

/** Does nothing when the order has ended or is already taken. */
export const markTaken = writes.run<Sql.MarkTaken>('workspaceId, runId, fence, { holder, at }')(`
  update work_orders set state = 'taken', holder = :holder, taken_at = :at
  where workspace_id = :workspaceId and run_id = :runId and fence = :fence and state = 'offered'`)

export const updateLease = writes.run<Sql.UpdateLease>('workspaceId, runId, { until, untilOfPerson }')(`
  update work_orders set
    lease_until = case when person_id is null then :until::timestamptz else :untilOfPerson::timestamptz end
  where workspace_id = :workspaceId and run_id = :runId and state <> 'ended'`)

const markEndedSql = statement<Sql.MarkEnded>(`
  update work_orders set state = 'ended', ended_at = :at
  where workspace_id = :workspaceId and run_id = :runId and state <> 'ended'
  returning offered_until is not null as "isForRunners"`)

/** Whether it was one for runners, which is to say whether a slot of theirs is free now. */
export async function markEnded(tx: Tx, workspaceId: string, runId: string, at: Date): Promise<boolean> {
  const rows = await write(tx, markEndedSql, { workspaceId, at, runId })
  return rows.some(({ isForRunners }) => isForRunners)
}

export interface OpenOrder {
  state: 'offered' | 'taken'
  offeredAt: Date
  /** Null: it was handed to the worker in the server's own process. */
  offeredUntil: Date | null
  takenAt: Date | null
  leaseUntil: Date
  /** How long its stage was worked on in this attempt, by all orders of it. */
  stageMs: number
  /** Of a runner's order: whether the start of the runner that took it may still be at work. */
  mayReturn: boolean
  /** A person has it, who works on their own machine. */
  isLocal: boolean
}

/** The order that a run at work has given out. */
export const selectOpenOrder = reads.one<Sql.SelectOpenOrder, OpenOrder>('workspaceId, runId, now')(`
  select o.state, o.lease_until as "leaseUntil", o.offered_at as "offeredAt", o.offered_until as "offeredUntil",
    o.taken_at as "takenAt", ${stageSeconds} * 1000 as "stageMs", o.person_id is not null as "isLocal", exists (
      select from ${connectedRunner}
      where w.workspace_id = o.workspace_id and w.id = o.runner_id and w.session = o.session
    ) as "mayReturn!"
  from work_orders o
  where o.workspace_id = :workspaceId and o.run_id = :runId and o.state <> 'ended'`)

/** Which attempt an order belonged to, however long ago it was given out. */
export const selectOrderedAttempt = reads.value<Sql.SelectOrderedAttempt>('workspaceId, runId, fence')(`
  select attempt from work_orders where workspace_id = :workspaceId and run_id = :runId and fence = :fence`)

export type OrderRow = Pick<
  WorkOrder,
  'fence' | 'run' | 'attempt' | 'stage' | 'executor' | 'team' | 'story'
> & {
  phase: Phase
  teamId: string
  policyVersion: number
  budgetCents: number
  costMicros: number
  memory: Partial<Memory>
  traceparent: string | null
}

export const selectOrder = reads.one<Sql.SelectOrder, OrderRow>('workspaceId, id')(`
  select r.fence, r.key as run, r.attempts as attempt, a.stage, a.executor, t.slug as team, r.phase,
    t.id as "teamId", coalesce(r.policy_version, t.policy_version) as "policyVersion!",
    r.budget_cents as "budgetCents", r.memory, r.traceparent,
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros!",
    json_build_object('key', s.key, 'title', s.title, 'size', s.size, 'complexity', s.complexity,
      'description', s.description, 'acceptanceCriteria', s.acceptance_criteria, 'demonstrate', s.demonstrate,
      'testPlan', s.test_plan
    ) as story
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

interface Spent {
  currency: string
  amount: number
  reported?: number
}

const spentOf = statement<Sql.SpentOf>(`
  select currency, sum(amount)::float8 as "amount!",
    (sum(amount) filter (where source = 'agent'))::float8 as reported
  from usage_ledger
  where workspace_id = :workspaceId and run_id = :runId and attempt = :attempt
  group by currency
  order by currency`)

/** What an attempt has cost so far, as it was billed, and what of it is only what an agent says. */
export async function selectSpentOf(
  db: Db | Tx,
  workspaceId: string,
  runId: string,
  attempt: number,
): Promise<Spent[]> {
  const rows = await read(db, spentOf, { workspaceId, runId, attempt })
  return rows.map(({ reported, ...spent }) => (reported === null ? spent : { ...spent, reported }))
}

const addReportBytesSql = statement<Sql.AddReportBytes>(`
  update work_orders set report_bytes = report_bytes + :bytes
  where workspace_id = :workspaceId and run_id = :runId and fence = :fence
  returning report_bytes as bytes`)

/** What an order has reported so far, in bytes, with these. */
export async function addReportBytes(
  tx: Tx,
  workspaceId: string,
  { runId, fence }: { runId: string; fence: number },
  bytes: number,
): Promise<number> {
  return (await write(tx, addReportBytesSql, { workspaceId, bytes, runId, fence }))[0]?.bytes ?? 0
}

export const deleteOrdersBefore = writes.count<Sql.DeleteOrdersBefore>(
  'workspaceId, { before, beforeId, most }',
)(`
  delete from work_orders where (run_id, fence) in (
    select o.run_id, o.fence from work_orders o
    join runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
      and r.phase in ('succeeded', 'failed', 'timed_out', 'stopped')
    where o.workspace_id = :workspaceId and o.run_id < :beforeId and o.ended_at < :before
    order by o.run_id, o.fence
    limit #most
  )`)
