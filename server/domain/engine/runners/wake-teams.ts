import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { announceSlot } from '../orders/orders.ts'
import { wakeUnreadable } from '../orders/queue-store.ts'
import { selectTeamsWithRepository } from './store.ts'

/**
 * A runner may now do what no runner could do before: the teams that wait for it are served in turn. A moment later
 * each team looks for itself, so that those that still wait say for what.
 */
export async function wakeTeams(ctx: Context, tx: Tx): Promise<void> {
  await wakeUnreadable(tx, ctx.workspaceId, ctx.clock.now())
  await announceSlot(ctx, tx)
  for (const { id } of await selectTeamsWithRepository(tx, ctx.workspaceId))
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id }, { seconds: 1 })
}
