import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { announceSlot } from '../orders/orders.ts'
import { wakeUnreadable } from '../orders/queue-store.ts'

/**
 * A runner may now do what no runner could do before: the teams that wait for it are served in turn. A moment later
 * they all look again, so that those that still wait say for what: once for all runners that have come by then.
 */
export async function wakeTeams(ctx: Context, tx: Tx): Promise<void> {
  await wakeUnreadable(tx, ctx.workspaceId, ctx.clock.now())
  await announceSlot(ctx, tx)
  await ctx.queue.send(
    tx,
    { task: 'teams', workspaceId: ctx.workspaceId, id: ctx.workspaceId },
    { seconds: 1 },
  )
}
