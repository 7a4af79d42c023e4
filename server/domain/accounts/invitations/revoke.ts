import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { markRevoked } from './store.ts'

/** Takes an invitation back; its links stop working. */
export async function revokeInvitation(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'revoke invitations')
  await change(ctx, async (tx) => {
    const [revoked] = await markRevoked(tx, ctx.workspaceId, { id }, ctx.clock.now())
    if (!revoked) throw notFound('invitation', id)
    return {
      value: null,
      audit: {
        event: 'invitation_revoked',
        entity: { type: 'invitation', id: revoked.id, name: revoked.email },
      },
    }
  })
}
