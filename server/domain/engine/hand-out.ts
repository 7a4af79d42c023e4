import type { Performer } from '../outbox/perform.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import type { WorkOrder, WorkPort } from '../ports/work.ts'
import { leaseSeconds } from './advance.ts'
import { blank } from './machine.ts'
import { selectOrder } from './order-store.ts'

/** Hands a work order to whoever does the work. An order that was taken back meanwhile is not handed out. */
export const handOut =
  (work: WorkPort): Performer =>
  async (ctx, effect) => {
    const row = await selectOrder(ctx.db, ctx.workspaceId, effect.runId!)
    if (row && row.place === 'working' && row.fence === effect.data.fence) {
      const { place, policyVersion, costMicros, budgetCents, teamId, memory, ...rest } = row
      const policy = await policySnapshot(ctx.db, ctx.workspaceId, teamId, policyVersion)
      const { plan, guidance, exceptions, restoreSpec } = { ...blank, ...memory }
      const order: WorkOrder = {
        ...rest,
        workspaceId: ctx.workspaceId,
        runId: effect.runId!,
        plan,
        guidance,
        exceptions,
        restoreSpec,
        policy,
        reservedCents: Math.max(0, Math.floor(budgetCents - costMicros / 10_000)),
        leaseSeconds,
      }
      await work.hand(order)
    }
    return { settle: async () => [] }
  }
