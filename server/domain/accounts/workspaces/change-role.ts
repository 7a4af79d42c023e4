import type { Role } from '@signalbox/contract/roles.ts'
import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockOwnersAnd, selectMember, updateRole } from './store.ts'

/** Gives a member another role; tokens act with it on every node before this returns. */
export async function changeRole(ctx: Context, personId: string, role: Role): Promise<void> {
  requireRole(ctx, role === 'owner' ? 'owner' : 'admin', 'change roles')
  const sequence = await change(ctx, async (tx) => {
    const owners = await lockOwnersAnd(tx, ctx.workspaceId, personId)
    const member = await selectMember(tx, ctx.workspaceId, { id: personId })
    if (!member) throw new DomainError('not_found', 'That person is not a member of the workspace.')
    if (member.role === 'owner') {
      requireRole(ctx, 'owner', 'change the role of an owner')
      if (role !== 'owner' && owners.length === 1) {
        throw new DomainError('conflict', 'The workspace needs an owner. Make someone else an owner first.')
      }
    }
    if (member.role === role)
      throw new DomainError('conflict', `${member.name} already has the role ${role}.`)
    await updateRole(tx, ctx.workspaceId, personId, role)
    return {
      value: await invalidate(tx),
      audit: {
        event: 'member_role_changed',
        entity: { type: 'member', id: member.id, name: member.name },
        details: { changes: [{ field: 'role', before: member.role, after: role }] },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}
