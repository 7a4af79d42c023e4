import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { hastenMerges } from './store.ts'

/** Makes the merges of a team due now that were put off. */
export async function expediteMerges(ctx: Context, tx: Tx, teamId: string): Promise<void> {
  for (const id of await hastenMerges(tx, ctx.workspaceId, teamId, ctx.clock.now())) {
    await ctx.queue.send(tx, { task: 'effect', workspaceId: ctx.workspaceId, id })
  }
}
