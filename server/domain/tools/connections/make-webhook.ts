import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import type { HookScope } from '../../ports/connector.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { asking, connectorOf } from './ask.ts'
import type { Connecting } from './connect.ts'
import { openConnection } from './open.ts'
import { hookTokenRow, webhookSecretRow } from './sealed-rows.ts'
import { selectHook } from './store.ts'

/** Makes the webhook of a project or repository over there, where the tool lets us. */
export async function makeWebhook(
  ctx: Context,
  { connectors, secrets, publicUrl }: Connecting & { publicUrl: () => string },
  id: string,
  scope: HookScope,
): Promise<void> {
  requireRole(ctx, 'admin', 'create a webhook')
  const opened = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, id)
  const connector = connectorOf(connectors, opened.kind)
  if (!connector.makeWebhook)
    throw new DomainError(
      'invalid_request',
      `A webhook of ${toolNames[opened.kind]} has to be created there.`,
    )
  const found = await selectHook(ctx.db, ctx.workspaceId, id)
  if (!found) throw notFound('connection', id)
  const secret = secrets.decrypt(found.webhookSecret, webhookSecretRow(id))
  const url = `${publicUrl()}/hooks/${secrets.decrypt(found.hookToken, hookTokenRow(id))}`
  await asking(connector.makeWebhook(opened, { url, secret, scope }))
  await change(ctx, async () => ({
    value: undefined,
    audit: {
      event: 'connection_changed',
      entity: { type: 'connection', id, name: found.name },
      details: { change: 'webhook_made', scope: scope.id },
    },
  }))
}
