import type { Reply } from '@signalbox/contract/app/conversations.ts'
import type { Context } from '../../context.ts'
import { readRequirement } from '../../work/requirements/read.ts'
import { selectConversation } from './store.ts'

/** What was said about a requirement, oldest first. */
export async function readConversation(ctx: Context, slug: string): Promise<Reply[]> {
  const replies = await selectConversation(ctx.db, ctx.workspaceId, slug)
  if (replies.length === 0) await readRequirement(ctx, slug)
  const reader = ctx.actor.type === 'human' ? ctx.actor.userId : null
  return replies.map(({ personId, ...reply }) => ({
    ...reply,
    mayConfirm: reply.asks && reply.outcome === null && personId === reader,
  }))
}
