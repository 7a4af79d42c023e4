import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { advance } from '../lifecycle/advance.ts'
import { lockRun } from '../machine/lock.ts'
import { composeOrder } from '../orders/compose-order.ts'
import { markTaken, selectOrder } from '../orders/order-store.ts'

/** Hands a work order to the worker in this process. An order that was withdrawn by then is not handed out. */
export const handOut =
  (work: WorkPort): Performer<'hand_out'> =>
  async (ctx, effect) => {
    const { runId, data } = effect
    const row = await selectOrder(ctx.db, ctx.workspaceId, runId!)
    if (row?.phase !== 'working' || row.fence !== data.fence) return { settle: async () => [] }
    const order = await composeOrder(ctx, ctx.db, runId!, row)
    if (!work.serves(order.executor)) return takenBack(ctx, runId!, data.fence)
    await work.hand(order)
    return {
      lock: (tx) => lockRun(tx, ctx.workspaceId, { id: runId! }),
      async settle(tx) {
        await markTaken(tx, ctx.workspaceId, runId!, data.fence, { holder: work.name, at: ctx.clock.now() })
        return []
      },
    }
  }

/** The worker that would do it has gone since the run started: the run waits for a runner, and says so. */
function takenBack(ctx: Context, id: string, fence: number): Performed {
  const lock = (tx: Tx) => lockRun(tx, ctx.workspaceId, { id })
  return {
    lock,
    async settle(tx) {
      const run = await lock(tx)
      if (run.state.fence !== fence) return []
      return (await advance(ctx, tx, run, { type: 'no_runner' }))?.entries ?? []
    },
  }
}
