import type { Invitation } from '@signalbox/contract/invitation.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { selectOpen } from './store.ts'

/** Invitations that can still be accepted, the newest first. */
export async function listInvitations(ctx: Context): Promise<Invitation[]> {
  requireRole(ctx, 'admin', 'see invitations')
  const rows = await selectOpen(ctx.db, ctx.workspaceId, ctx.clock.now())
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }))
}
