import { housekeeping } from '../audit/change.ts'
import { asService, type Context } from '../context.ts'
import { addEffect } from '../outbox/add.ts'
import type { Connection } from '../ports/connection.ts'

/** Has one person in a chat tool told something that nobody else there sees. */
export const planWhisper = (
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  to: { channel: string; user: string },
  text: string,
) =>
  housekeeping(services.db, 'tell one person in chat', async (tx) => {
    const ctx = asService(services, workspaceId)
    const at = ctx.clock.now().getTime()
    const key = `whisper/${id}/${to.user}/${at}`
    await addEffect(ctx, tx, { kind: 'whisper', key, data: { connection: id, ...to, text } })
  })
