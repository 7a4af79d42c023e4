import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { markRevoked } from './store.ts'

/** Revokes what invites an address, as part of a transaction that takes its person out; the entries it leaves. */
export async function revokeInvitationsTo(
  ctx: Context,
  tx: Tx,
  email: string,
): Promise<Entry<'invitation_revoked'>[]> {
  const revoked = await markRevoked(tx, ctx.workspaceId, { email }, ctx.clock.now())
  return revoked.map(({ id }) => ({
    event: 'invitation_revoked',
    entity: { type: 'invitation', id, name: email },
  }))
}
