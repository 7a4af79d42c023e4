import { confirmed, invalidate } from '../../infra/cluster.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { requireRole } from './roles.ts'
import { deleteMembership, lockOwners, selectMember } from './store.ts'

/** Takes a person out of the workspace. Their tokens stop working on every node before this returns. */
export async function removeMember(ctx: Context, personId: string): Promise<void> {
  const leaving = ctx.actor.type === 'human' && ctx.actor.userId === personId
  if (!leaving) requireRole(ctx, 'admin', 'remove people')

  const sequence = await change(ctx, async (tx) => {
    const member = await selectMember(tx, ctx.workspaceId, { id: personId })
    if (!member) throw new DomainError('not_found', 'That person is not a member of the workspace.')
    if (member.role === 'owner' && !leaving) requireRole(ctx, 'owner', 'remove an owner')
    const owners = await lockOwners(tx, ctx.workspaceId)
    if (owners.length === 1 && owners[0] === personId) {
      throw new DomainError('conflict', 'The last owner cannot leave. Make someone else owner first.')
    }
    await deleteMembership(tx, ctx.workspaceId, personId)
    return {
      value: await invalidate(tx),
      audit: {
        event: 'member_removed',
        entity: { type: 'member', id: member.id, name: member.name },
        details: { role: member.role, reason: leaving ? 'left' : 'removed' },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}
