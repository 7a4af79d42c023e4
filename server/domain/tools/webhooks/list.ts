import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { selectEndpointRows } from './store.ts'

/** The endpoints of a workspace, newest first. */
export async function listEndpoints(ctx: Context): Promise<WebhookRow[]> {
  requireRole(ctx, 'admin', 'see webhook endpoints')
  return selectEndpointRows(ctx.db, ctx.workspaceId, { now: ctx.clock.now() })
}
