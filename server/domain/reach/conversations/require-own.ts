import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Asked } from './parse-reply.ts'
import { type StoredReply, selectReply } from './store.ts'

/** A reply that waits for the person who wrote it; everybody else is told whose it is. */
export async function requireOwnReply(ctx: Context, id: string): Promise<StoredReply & { asks: Asked }> {
  const reply = await selectReply(ctx.db, ctx.workspaceId, id)
  if (!reply?.asks) throw new DomainError('not_found', 'There is nothing to confirm.')
  if (ctx.actor.type !== 'human' || reply.personId !== ctx.actor.userId)
    throw new DomainError('insufficient_role', `Only ${reply.author} can confirm or cancel this.`)
  if (reply.outcome)
    throw new DomainError('conflict', reply.outcomeText ?? 'This was confirmed or cancelled already.')
  return { ...reply, asks: reply.asks }
}
