import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { revokeScimTokenById } from './store.ts'

/** Ends a token of an identity provider: it is looked up with each request, so the next one is refused. */
export async function revokeScimToken(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'owner', 'revoke a SCIM token')
  await change(ctx, async (tx) => {
    const revoked = await revokeScimTokenById(tx, ctx.workspaceId, id, ctx.clock.now())
    if (!revoked)
      throw new DomainError('not_found', 'This SCIM token was not found. It may be revoked already.')
    return {
      value: undefined,
      audit: {
        event: 'provisioning_changed',
        entity: { type: 'token', id, name: revoked.name },
        details: { change: 'token_revoked', prefix: revoked.prefix },
      },
    }
  })
}
