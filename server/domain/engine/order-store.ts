import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { WorkOrder } from '../ports/work.ts'
import type { Place } from '../runs/place.ts'
import type { Memory } from './machine.ts'
import { runSource } from './run-store.ts'

export async function insertOrder(
  tx: Tx,
  order: {
    workspaceId: string
    runId: string
    fence: number
    attempt: number
    stage: WorkOrder['stage']
    at: Date
    leaseUntil: Date
  },
): Promise<void> {
  await tx
    .insertInto('work_orders')
    .values({
      workspace_id: order.workspaceId,
      run_id: order.runId,
      fence: order.fence,
      attempt: order.attempt,
      stage: order.stage,
      state: 'offered',
      offered_at: order.at,
      lease_until: order.leaseUntil,
    })
    .execute()
}

/** Does nothing when the order is over, or somebody has it. */
export async function markTaken(
  tx: Tx,
  runId: string,
  fence: number,
  { holder, at }: { holder: string; at: Date },
): Promise<void> {
  await tx
    .updateTable('work_orders')
    .set({ state: 'taken', holder, taken_at: at })
    .where('run_id', '=', runId)
    .where('fence', '=', fence)
    .where('state', '=', 'offered')
    .execute()
}

export async function updateLease(tx: Tx, runId: string, until: Date): Promise<void> {
  await tx
    .updateTable('work_orders')
    .set({ lease_until: until })
    .where('run_id', '=', runId)
    .where('state', '<>', 'ended')
    .execute()
}

export async function markEnded(tx: Tx, runId: string, at: Date): Promise<void> {
  await tx
    .updateTable('work_orders')
    .set({ state: 'ended', ended_at: at })
    .where('run_id', '=', runId)
    .where('state', '<>', 'ended')
    .execute()
}

/** The order that a run at work has given out. */
export async function selectOpenOrder(
  tx: Tx,
  runId: string,
): Promise<{ leaseUntil: Date; offeredAt: Date } | undefined> {
  return tx
    .selectFrom('work_orders')
    .select(['lease_until as leaseUntil', 'offered_at as offeredAt'])
    .where('run_id', '=', runId)
    .where('state', '<>', 'ended')
    .executeTakeFirst()
}

/** Which attempt an order belonged to, however long ago it was given out. */
export async function selectOrderedAttempt(
  tx: Tx,
  runId: string,
  fence: number,
): Promise<number | undefined> {
  const order = await tx
    .selectFrom('work_orders')
    .select('attempt')
    .where('run_id', '=', runId)
    .where('fence', '=', fence)
    .executeTakeFirst()
  return order?.attempt
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
  from ${runSource}
  where r.workspace_id = :workspaceId and r.id = :id`)

export async function selectOrder(db: Db, workspaceId: string, id: string): Promise<OrderRow | undefined> {
  return (await read(db, order, { workspaceId, id }))[0]
}
