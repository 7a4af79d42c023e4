import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { announceSlot } from '../engine/orders.ts'
import { selectTeamsWithRepository } from './store.ts'

/**
 * Somebody is there who may do what could not be done: whoever waits for it is served in turn. A moment later each
 * looks for itself, so that those who still wait say for what.
 */
export async function wakeTeams(ctx: Context, tx: Tx): Promise<void> {
  await announceSlot(ctx, tx)
  for (const { id } of await selectTeamsWithRepository(tx, ctx.workspaceId))
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id }, { seconds: 1 })
}
