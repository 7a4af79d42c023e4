import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { selectTeamsWithRepository } from './store.ts'

/** Somebody is there who may do what could not be done: whoever waits for it looks again. */
export async function wakeTeams(ctx: Context, tx: Tx): Promise<void> {
  for (const { id } of await selectTeamsWithRepository(tx, ctx.workspaceId))
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id })
}
