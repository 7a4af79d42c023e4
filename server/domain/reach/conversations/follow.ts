import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { placesShowing } from '../../work/chat/messages.ts'

/** Has a reply and its outcome shown in every chat thread of its requirement. */
export async function followConversation(
  ctx: Context,
  tx: Tx,
  requirement: string,
  reply: string,
  what: 'said' | 'settled',
): Promise<void> {
  for (const place of await placesShowing(tx, ctx.workspaceId, requirement)) {
    const key = `show_reply/${reply}/${place}/${what}`
    await addEffect(ctx, tx, { kind: 'show_reply', key, data: { reply, place } })
  }
}
