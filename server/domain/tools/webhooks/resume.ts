import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { updateEndpoint } from './store.ts'

/** Turns an endpoint on again, no matter who turned it off, and sends the messages that waited. */
export async function resumeEndpoint(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'resume a webhook endpoint')
  await change(ctx, async (tx) => {
    const { state, entity } = await lockEndpoint(ctx, tx, id)
    if (state === 'active') throw new DomainError('conflict', 'The endpoint is already active.')
    await updateEndpoint(tx, ctx.workspaceId, id, { state: { is: 'active' } }, ctx.clock.now())
    return {
      value: undefined,
      audit: { event: 'webhook_endpoint_changed', entity, details: { change: 'resumed' } },
    }
  })
}
