import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { revokeInvitationsTo } from '../invitations/revoke-to.ts'
import { endSessionsOf } from '../people/end-sessions-of.ts'
import { endMembership } from '../workspaces/remove-member.ts'

/** Ends everything by which a person could act in the workspace: membership, tokens, open invitations, sessions. */
export async function removeFromWorkspace(
  ctx: Context,
  tx: Tx,
  { id, email }: { id: string; email: string },
): Promise<Entry[]> {
  const removed = await endMembership(ctx, tx, id)
  const sessions = await endSessionsOf(tx, id)
  return [
    { ...removed, details: { ...removed.details, ...(sessions > 0 ? { sessions } : {}) } },
    ...(await revokeInvitationsTo(ctx, tx, email)),
  ]
}
