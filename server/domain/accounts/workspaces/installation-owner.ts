import type { Db } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { isOwnerOfFirstWorkspace, selectFirstWorkspaceOfInstance } from './store.ts'

/**
 * Who owns the installation: the owners of its first workspace, which was founded by who had the set-up link. If that
 * one is deleted, the next oldest takes its place.
 */
export const isInstallationOwner = (db: Db, personId: string): Promise<boolean> =>
  isOwnerOfFirstWorkspace(db, personId)

/** Lets them through, in their workspace. */
export async function requireInstallationOwner(ctx: Context, action: string): Promise<void> {
  requireRole(ctx, 'owner', action)
  if ((await selectFirstWorkspaceOfInstance(ctx.db)) === ctx.workspaceId) return
  throw new DomainError(
    'insufficient_role',
    `To ${action}, you must be an owner of the first workspace of this installation.`,
  )
}
