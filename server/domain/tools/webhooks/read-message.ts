import type { MessagePage } from '@signalbox/contract/app/webhooks.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { bodyOf } from './message.ts'
import { selectMessage } from './store.ts'

/** One message as it is sent, with every attempt and what came back. */
export async function readMessage(
  ctx: Context,
  { publicUrl }: { publicUrl: () => string },
  endpointId: string,
  id: string,
): Promise<MessagePage> {
  requireRole(ctx, 'admin', 'see what was sent to a webhook endpoint')
  const message = await selectMessage(ctx.db, ctx.workspaceId, endpointId, id)
  if (!message) throw notFound('message', id)
  return { ...message.shown, body: bodyOf(message, publicUrl()) }
}
