import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { requireRole } from '../../roles.ts'
import { endTokensOf } from '../tokens/end-of.ts'
import { deleteMembership, lockOwnersAnd, selectMember } from './store.ts'

/** Takes a person out of the workspace. Their tokens are over, on every node before this returns. */
export async function removeMember(ctx: Context, personId: string): Promise<void> {
  const sequence = await change(ctx, async (tx) => {
    const audit = await endMembership(ctx, tx, personId)
    return { value: await invalidate(tx), audit }
  })
  await confirmed(ctx.db, sequence)
}

/** The same as part of a transaction, with the entry it leaves. */
export async function endMembership(
  ctx: Context,
  tx: Tx,
  personId: string,
): Promise<Entry<'member_removed'>> {
  const leaving = ctx.actor.type === 'human' && ctx.actor.userId === personId
  if (!leaving) requireRole(ctx, 'admin', 'remove people')
  // Locked first: if this waits while someone is made an owner, it must then see that owner.
  const owners = await lockOwnersAnd(tx, ctx.workspaceId, personId)
  const member = await selectMember(tx, ctx.workspaceId, { id: personId })
  if (!member) throw new DomainError('not_found', 'That person is not a member of the workspace.')
  if (member.role === 'owner' && !leaving) requireRole(ctx, 'owner', 'remove an owner')
  if (owners.length === 1 && owners[0] === personId) {
    throw new DomainError('conflict', 'The last owner cannot leave. Make someone else an owner first.')
  }
  await deleteMembership(tx, ctx.workspaceId, personId)
  // Without the entry of its own: it would hold their address, and says no more than that of the removal.
  await forgetMark(ctx, tx, 'members', personId)
  const tokens = await endTokensOf(tx, ctx.workspaceId, personId, ctx.clock.now())
  return {
    event: 'member_removed',
    entity: { type: 'member', id: member.id, name: member.name },
    details: {
      cause: leaving ? 'left' : 'removed',
      role: member.role,
      ...(tokens.length > 0 ? { tokens } : {}),
    },
  }
}
