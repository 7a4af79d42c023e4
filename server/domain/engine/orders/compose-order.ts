import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { WorkOrder } from '../../ports/work.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { blank } from '../machine/machine.ts'
import { agentFor } from '../machine/race.ts'
import type { Rates } from './bill.ts'
import { payloadOf, payloadOfPart } from './order-payload.ts'
import type { OrderRow } from './order-store.ts'
import { leaseSeconds } from './orders.ts'

/** What the worker is told, from what the run's row says now. */
export async function composeOrder(
  { workspaceId }: Pick<Context, 'workspaceId'>,
  db: Db | Tx,
  runId: string,
  row: OrderRow,
): Promise<WorkOrder> {
  const { phase, policyVersion, costMicros, budgetCents, teamId, memory, traceparent, ...rest } = row
  const policy = await policySnapshot(db, workspaceId, teamId, policyVersion)
  return {
    ...rest,
    workspaceId,
    runId,
    // Not the attempt's: that may be a person's own agent, which says nothing about the next worker's.
    executor: agentFor(memory, policy, rest.stage),
    ...payloadOf({ ...blank, ...memory }),
    ...payloadOfPart({ ...blank, ...memory }, rest.stage),
    policy,
    reservedCents: Math.max(0, Math.floor(budgetCents - costMicros / microsPerCent)),
    leaseSeconds,
  }
}

/** The parts of a policy that the worker needs to know. */
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
