import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { giveUpOrders } from '../supervision/give-up-orders.ts'
import { type KnownSession, lockRunner, markLeft } from './store.ts'

/** A runner signs off. What it still has is handed back. */
export async function leave(ctx: Context, { runnerId, session }: KnownSession): Promise<void> {
  await change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const runner = await lockRunner(tx, ctx.workspaceId, { id: runnerId }, at)
    // Another start may speak for it by now.
    if (!runner || runner.session !== session || runner.leftAt) return { value: undefined, audit: [] }
    await markLeft(tx, ctx.workspaceId, runnerId, at)
    const { runs, entries } = await giveUpOrders(ctx, tx, runnerId, 'handed_back')
    return {
      value: undefined,
      audit: [
        {
          event: 'runner_changed',
          entity: { type: 'runner', id: runnerId, name: runner.name },
          details: { change: 'left', ...(runs.length > 0 ? { handedBack: runs } : {}) },
        },
        ...entries,
      ],
    }
  })
}
