import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { deleteEndpoint } from './store.ts'

/** Removes an endpoint. What waits for it is not sent. */
export async function removeEndpoint(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'remove a webhook endpoint')
  await change(ctx, async (tx) => {
    const { entity } = await lockEndpoint(ctx, tx, id)
    await refuseManaged(ctx, tx, 'webhooks', id)
    await deleteEndpoint(tx, ctx.workspaceId, id, ctx.clock.now())
    return {
      value: undefined,
      audit: [
        { event: 'webhook_endpoint_changed', entity, details: { change: 'removed' } },
        ...(await forgetMark(ctx, tx, 'webhooks', id)),
      ],
    }
  })
}
