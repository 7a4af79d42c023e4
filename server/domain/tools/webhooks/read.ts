import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { selectEndpointRows } from './store.ts'

export async function readEndpoint(ctx: Context, id: string): Promise<WebhookRow> {
  requireRole(ctx, 'admin', 'see webhook endpoints')
  const [endpoint] = await selectEndpointRows(ctx.db, ctx.workspaceId, { id, now: ctx.clock.now() })
  if (!endpoint) throw notFound('webhook', id)
  return endpoint
}
