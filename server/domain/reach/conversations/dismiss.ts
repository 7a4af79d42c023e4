import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { followConversation } from './follow.ts'
import { requireOwnReply } from './require-own.ts'
import { settleReply } from './store.ts'

/** Its author does not want it after all. Nothing was done, and nothing is. */
export async function dismissReply(ctx: Context, id: string): Promise<void> {
  const { requirement } = await requireOwnReply(ctx, id)
  await housekeeping(ctx.db, 'note that a reply was not confirmed', async (tx) => {
    const settled = {
      outcome: 'dismissed' as const,
      text: 'Cancelled. Nothing was done.',
      at: ctx.clock.now(),
    }
    if (await settleReply(tx, ctx.workspaceId, id, settled))
      await followConversation(ctx, tx, requirement, id, 'settled')
  })
}
