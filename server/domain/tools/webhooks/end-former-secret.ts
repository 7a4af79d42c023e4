import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { updateEndpoint } from './store.ts'

/** Ends the day on which messages are signed with the secret of before a rotation, too. */
export async function endFormerSecret(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', "end a webhook endpoint's old secret")
  await change(ctx, async (tx) => {
    const { formerUntil, entity } = await lockEndpoint(ctx, tx, id)
    const at = ctx.clock.now()
    if (!formerUntil || formerUntil <= at)
      throw new DomainError('conflict', 'The endpoint has no old secret that is still used.')
    await updateEndpoint(tx, ctx.workspaceId, id, { formerSecret: null }, at)
    return {
      value: undefined,
      audit: { event: 'webhook_endpoint_changed', entity, details: { change: 'former secret ended' } },
    }
  })
}
