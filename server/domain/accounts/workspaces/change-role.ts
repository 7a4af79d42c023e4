import type { Role } from '@signalbox/contract/roles.ts'
import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { lockOwnersAnd, selectMember, updateRole } from './store.ts'

/** Gives a member another role; tokens act with it on every node before this returns. */
export async function changeRole(ctx: Context, personId: string, role: Role): Promise<void> {
  requireRole(ctx, role === 'owner' ? 'owner' : 'admin', 'change roles')
  const sequence = await change(ctx, async (tx) => {
    await refuseManaged(ctx, tx, 'members', personId)
    const audit = await giveRole(ctx, tx, personId, role)
    return { value: await invalidate(tx), audit }
  })
  await confirmed(ctx.db, sequence)
}

/** The same as part of a transaction, with the entry it leaves. */
export async function giveRole(
  ctx: Context,
  tx: Tx,
  personId: string,
  role: Role,
): Promise<Entry<'member_role_changed'>> {
  const owners = await lockOwnersAnd(tx, ctx.workspaceId, personId)
  const member = await selectMember(tx, ctx.workspaceId, { id: personId })
  if (!member) throw new DomainError('not_found', 'That person is not a member of the workspace.')
  if (member.role === 'owner') {
    requireRole(ctx, 'owner', 'change the role of an owner')
    if (role !== 'owner' && owners.length === 1) {
      throw new DomainError('conflict', 'The workspace needs an owner. Make someone else an owner first.')
    }
  }
  if (member.role === role) throw new DomainError('conflict', `${member.name} already has the role ${role}.`)
  await updateRole(tx, ctx.workspaceId, personId, role)
  return {
    event: 'member_role_changed',
    entity: { type: 'member', id: member.id, name: member.name },
    details: { changes: [{ field: 'role', before: member.role, after: role }] },
  }
}
