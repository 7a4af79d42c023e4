import type { IsolationLevel } from '@signalbox/contract/isolation.ts'
import type { jobs } from '@signalbox/contract/runner/messages.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { WorkOrder } from '../ports/work.ts'
import type { Phase } from '../runs/phase.ts'
import { connectedRunner } from './connected-runner.ts'
import type { Memory } from './machine.ts'
import { runSource } from './run-store.ts'
import { stageSeconds } from './stage-time.ts'

type Job = (typeof jobs)[number]

export async function insertOrder(
  tx: Tx,
  workspaceId: string,
  order: {
    runId: string
    fence: number
    attempt: number
    stage: WorkOrder['stage']
    job: Job
    executor: WorkOrder['executor']
    isolation: IsolationLevel
    labels: string[]
    at: Date
    offeredUntil: Date | null
    leaseUntil: Date
  },
): Promise<void> {
  await sql`
    insert into work_orders (workspace_id, run_id, fence, attempt, stage, job, executor, isolation, labels, state, offered_at,
      offered_until, lease_until)
    values (${workspaceId}, ${order.runId}, ${order.fence}, ${order.attempt}, ${order.stage}, ${order.job},
      ${order.executor}, ${order.isolation}, ${order.labels}, 'offered', ${order.at}, ${order.offeredUntil}, ${order.leaseUntil})
  `.execute(tx)
}

/** An order that a person has taken before it was offered to anybody. */
export async function insertLocalOrder(
  tx: Tx,
  workspaceId: string,
  order: {
    runId: string
    fence: number
    attempt: number
    stage: WorkOrder['stage']
    personId: string
    holder: string
    at: Date
    leaseUntil: Date
  },
): Promise<void> {
  await sql`
    insert into work_orders (workspace_id, run_id, fence, attempt, stage, job, state, holder, person_id, offered_at,
      taken_at, lease_until)
    values (${workspaceId}, ${order.runId}, ${order.fence}, ${order.attempt}, ${order.stage}, 'stage', 'taken',
      ${order.holder}, ${order.personId}, ${order.at}, ${order.at}, ${order.leaseUntil})
  `.execute(tx)
}

/** Does nothing when the order is over, or somebody has it. */
export async function markTaken(
  tx: Tx,
  workspaceId: string,
  runId: string,
  fence: number,
  { holder, at }: { holder: string; at: Date },
): Promise<void> {
  await sql`
    update work_orders set state = 'taken', holder = ${holder}, taken_at = ${at}
    where workspace_id = ${workspaceId} and run_id = ${runId} and fence = ${fence} and state = 'offered'
  `.execute(tx)
}

export async function updateLease(
  tx: Tx,
  workspaceId: string,
  runId: string,
  { until, untilOfPerson }: { until: Date; untilOfPerson: Date },
): Promise<void> {
  await sql`
    update work_orders set
      lease_until = case when person_id is null then ${until}::timestamptz else ${untilOfPerson}::timestamptz end
    where workspace_id = ${workspaceId} and run_id = ${runId} and state <> 'ended'
  `.execute(tx)
}

/** Whether it was one for runners, which is to say whether a slot of theirs is free now. */
export async function markEnded(tx: Tx, workspaceId: string, runId: string, at: Date): Promise<boolean> {
  const { rows } = await sql<{ isForRunners: boolean }>`
    update work_orders set state = 'ended', ended_at = ${at}
    where workspace_id = ${workspaceId} and run_id = ${runId} and state <> 'ended'
    returning offered_until is not null as "isForRunners"
  `.execute(tx)
  return rows.some(({ isForRunners }) => isForRunners)
}

export interface OpenOrder {
  state: 'offered' | 'taken'
  offeredAt: Date
  /** Null: it was handed to whoever works in the server's own process. */
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

const openOrder = statement<OpenOrder>(`
  select o.state, o.lease_until as "leaseUntil", o.offered_at as "offeredAt", o.offered_until as "offeredUntil",
    o.taken_at as "takenAt", ${stageSeconds} * 1000 as "stageMs", o.person_id is not null as "isLocal", exists (
      select from ${connectedRunner}
      where w.workspace_id = o.workspace_id and w.id = o.runner_id and w.session = o.session
    ) as "mayReturn"
  from work_orders o
  where o.workspace_id = :workspaceId and o.run_id = :runId and o.state <> 'ended'`)

/** The order that a run at work has given out. */
export async function selectOpenOrder(
  tx: Tx,
  workspaceId: string,
  runId: string,
  now: Date,
): Promise<OpenOrder | undefined> {
  return (await read(tx, openOrder, { workspaceId, runId, now }))[0]
}

const orderedAttempt = statement<{ attempt: number }>(`
  select attempt from work_orders where workspace_id = :workspaceId and run_id = :runId and fence = :fence`)

/** Which attempt an order belonged to, however long ago it was given out. */
export async function selectOrderedAttempt(
  tx: Tx,
  workspaceId: string,
  runId: string,
  fence: number,
): Promise<number | undefined> {
  return (await read(tx, orderedAttempt, { workspaceId, runId, fence }))[0]?.attempt
}

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
}

const order = statement<OrderRow>(`
  select r.fence, r.key as run, r.attempts as attempt, a.stage, a.executor, t.slug as team, r.phase,
    t.id as "teamId", coalesce(r.policy_version, t.policy_version) as "policyVersion",
    r.budget_cents as "budgetCents", r.memory,
    (select sum(cost_micros)::bigint from attempts where workspace_id = r.workspace_id and run_id = r.id) as "costMicros",
    json_build_object('key', s.key, 'title', s.title, 'size', s.size, 'complexity', s.complexity,
      'description', s.description, 'acceptanceCriteria', s.acceptance_criteria, 'demonstrate', s.demonstrate,
      'testPlan', s.test_plan
    ) as story
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectOrder(
  db: Db | Tx,
  workspaceId: string,
  id: string,
): Promise<OrderRow | undefined> {
  return (await read(db, order, { workspaceId, id }))[0]
}

interface Spent {
  currency: string
  amount: number
  reported?: number
}

const spentOf = statement<Spent & { reported: number | null }>(`
  select currency, sum(amount)::float8 as amount,
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

/** What an order has reported so far, in bytes, with these. */
export async function addReportBytes(
  tx: Tx,
  workspaceId: string,
  { runId, fence }: { runId: string; fence: number },
  bytes: number,
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    update work_orders set report_bytes = report_bytes + ${bytes}
    where workspace_id = ${workspaceId} and run_id = ${runId} and fence = ${fence}
    returning report_bytes as bytes
  `.execute(tx)
  return rows[0]?.bytes ?? 0
}
