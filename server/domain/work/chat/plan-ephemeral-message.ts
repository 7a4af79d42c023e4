import { asService, type Context } from '../../context.ts'
import type { Connection } from '../../ports/connection.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'

/** Queues a message in a channel that only one person sees. */
export const planEphemeralMessage = (
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  to: { channel: string; user: string },
  text: string,
) =>
  housekeeping(services.db, 'tell one person in chat', async (tx) => {
    const ctx = asService(services, workspaceId)
    const at = ctx.clock.now().getTime()
    const key = `ephemeral/${id}/${to.user}/${at}`
    await addEffect(ctx, tx, { kind: 'post_ephemeral_message', key, data: { connection: id, ...to, text } })
  })
