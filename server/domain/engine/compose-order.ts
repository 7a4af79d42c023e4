import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Db, Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import type { PolicyVersion } from '../policies/change.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import type { WorkOrder } from '../ports/work.ts'
import type { Rates } from './bill.ts'
import { carriedByPart, carriedOf } from './carried.ts'
import { blank } from './machine.ts'
import type { OrderRow } from './order-store.ts'
import { leaseSeconds } from './orders.ts'

/** What whoever does the work is told, from what the run's row says now. */
export async function composeOrder(
  { workspaceId }: Pick<Context, 'workspaceId'>,
  db: Db | Tx,
  runId: string,
  row: OrderRow,
): Promise<WorkOrder> {
  const { phase, policyVersion, costMicros, budgetCents, teamId, memory, ...rest } = row
  const policy = await policySnapshot(db, workspaceId, teamId, policyVersion)
  return {
    ...rest,
    workspaceId,
    runId,
    // Not the attempt's: what a person works with is no business of whoever goes on.
    executor: policy.executor,
    ...carriedOf({ ...blank, ...memory }),
    ...carriedByPart({ ...blank, ...memory }, rest.stage),
    policy,
    reservedCents: Math.max(0, Math.floor(budgetCents - costMicros / microsPerCent)),
    leaseSeconds,
  }
}

/** What of a policy whoever does the work needs to know. */
export function orderedPolicy(policy: WorkOrder['policy']): Order['policy'] {
  const { preset, custom, maintenance, ...settings } = policy as WorkOrder['policy'] & Partial<PolicyVersion>
  return settings
}

/** What may still be spent, in both currencies. */
export function budgetOf(
  { budgetCents, costMicros }: { budgetCents: number; costMicros: number },
  rates: Rates,
): Order['budget'] {
  const eurMicros = Math.max(0, Math.floor(budgetCents * microsPerCent - costMicros))
  // Rounded up: a gateway that spends all of it has reached the budget, not almost.
  return { eurMicros, usdMicros: rates.USD ? Math.ceil(eurMicros / rates.USD) : null }
}
