import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Performer } from '../outbox/perform.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import type { WorkOrder, WorkPort } from '../ports/work.ts'
import { holdRun } from './hold.ts'
import { blank } from './machine.ts'
import { markTaken, selectOrder } from './order-store.ts'
import { leaseSeconds } from './orders.ts'

/** Hands a work order to whoever does the work. An order that was taken back meanwhile is not handed out. */
export const handOut =
  (work: WorkPort): Performer<'hand_out'> =>
  async (ctx, effect) => {
    const { runId, data } = effect
    const row = await selectOrder(ctx.db, ctx.workspaceId, runId!)
    if (row?.phase !== 'working' || row.fence !== data.fence) return { settle: async () => [] }
    const { phase, policyVersion, costMicros, budgetCents, teamId, memory, ...rest } = row
    const policy = await policySnapshot(ctx.db, ctx.workspaceId, teamId, policyVersion)
    const { plan, guidance, exceptions, restoreSpec } = { ...blank, ...memory }
    const order: WorkOrder = {
      ...rest,
      workspaceId: ctx.workspaceId,
      runId: runId!,
      plan,
      guidance,
      exceptions,
      restoreSpec,
      policy,
      reservedCents: Math.max(0, Math.floor(budgetCents - costMicros / microsPerCent)),
      leaseSeconds,
    }
    await work.hand(order)
    return {
      hold: (tx) => holdRun(tx, ctx.workspaceId, { id: runId! }),
      async settle(tx) {
        await markTaken(tx, ctx.workspaceId, runId!, data.fence, { holder: work.name, at: ctx.clock.now() })
        return []
      },
    }
  }
