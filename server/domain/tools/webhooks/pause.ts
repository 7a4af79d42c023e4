import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { updateEndpoint } from './store.ts'

/** Sends an endpoint nothing more until it is resumed. What happens in the meantime waits. */
export async function pauseEndpoint(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'pause a webhook endpoint')
  await change(ctx, async (tx) => {
    const { state, entity } = await lockEndpoint(ctx, tx, id)
    if (state !== 'active')
      throw new DomainError('conflict', `The endpoint is already ${state === 'off' ? 'off' : 'paused'}.`)
    await updateEndpoint(tx, ctx.workspaceId, id, { state: { is: 'paused' } }, ctx.clock.now())
    return {
      value: undefined,
      audit: { event: 'webhook_endpoint_changed', entity, details: { change: 'paused' } },
    }
  })
}
