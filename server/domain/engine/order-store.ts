import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { WorkOrder } from '../ports/work.ts'
import type { Phase } from '../runs/phase.ts'
import type { Memory } from './machine.ts'
import { runSource } from './run-store.ts'

export async function insertOrder(
  tx: Tx,
  workspaceId: string,
  order: {
    runId: string
    fence: number
    attempt: number
    stage: WorkOrder['stage']
    at: Date
    leaseUntil: Date
  },
): Promise<void> {
  await sql`
    insert into work_orders (workspace_id, run_id, fence, attempt, stage, state, offered_at, lease_until)
    values (${workspaceId}, ${order.runId}, ${order.fence}, ${order.attempt}, ${order.stage}, 'offered', ${order.at},
      ${order.leaseUntil})
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

export async function updateLease(tx: Tx, workspaceId: string, runId: string, until: Date): Promise<void> {
  await sql`
    update work_orders set lease_until = ${until}
    where workspace_id = ${workspaceId} and run_id = ${runId} and state <> 'ended'
  `.execute(tx)
}

export async function markEnded(tx: Tx, workspaceId: string, runId: string, at: Date): Promise<void> {
  await sql`
    update work_orders set state = 'ended', ended_at = ${at}
    where workspace_id = ${workspaceId} and run_id = ${runId} and state <> 'ended'
  `.execute(tx)
}

const openOrder = statement<{ leaseUntil: Date; offeredAt: Date }>(`
  select lease_until as "leaseUntil", offered_at as "offeredAt" from work_orders
  where workspace_id = :workspaceId and run_id = :runId and state <> 'ended'`)

/** The order that a run at work has given out. */
export async function selectOpenOrder(tx: Tx, workspaceId: string, runId: string) {
  return (await read(tx, openOrder, { workspaceId, runId }))[0]
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

type OrderRow = Pick<WorkOrder, 'fence' | 'run' | 'attempt' | 'stage' | 'executor' | 'team' | 'story'> & {
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
      'description', s.description, 'acceptanceCriteria', s.acceptance_criteria, 'demonstrate', s.demonstrate
    ) as story
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectOrder(db: Db, workspaceId: string, id: string): Promise<OrderRow | undefined> {
  return (await read(db, order, { workspaceId, id }))[0]
}
