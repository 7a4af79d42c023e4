import { asService, type Context } from '../../context.ts'
import type { Connection } from '../../ports/connection.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'

/** Has a stranger told how to become known. */
export const planLinkOffer = (
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  to: { channel: string; user: string },
) =>
  housekeeping(services.db, 'tell a stranger in chat how to link an account', async (tx) => {
    const ctx = asService(services, workspaceId)
    const key = `offer_chat_link/${id}/${to.user}/${ctx.clock.now().getTime()}`
    await addEffect(ctx, tx, { kind: 'offer_chat_link', key, data: { connection: id, ...to } })
  })
