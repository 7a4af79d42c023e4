import type { Role } from '@signalbox/contract/roles.ts'
import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { noSuchGroup } from './read-groups.ts'
import { settleRoles } from './settle-roles.ts'
import { lockProvisioning, selectGroups, updateGroupRole } from './store.ts'

/** Says which role a group gives; null: none. The people in it have it when this returns. */
export async function mapGroup(ctx: Context, id: string, role: Role | null): Promise<void> {
  requireRole(ctx, 'owner', 'map a group to a role')
  const sequence = await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    const [group] = await selectGroups(tx, ctx.workspaceId, { offset: 0, most: 1 }, { id })
    if (!group) throw noSuchGroup(id)
    if (group.role === role)
      throw new DomainError('conflict', `${group.displayName} already gives ${role ?? 'no role'}.`)
    await updateGroupRole(tx, ctx.workspaceId, id, role)
    const roles = await settleRoles(
      ctx,
      tx,
      group.members.map(({ value }) => value),
    )
    return {
      value: await invalidate(tx),
      audit: [
        {
          event: 'provisioning_changed',
          entity: { type: 'group', id, name: group.displayName },
          details: { change: 'group_mapped', changes: [{ field: 'role', before: group.role, after: role }] },
        },
        ...roles,
      ],
    }
  })
  await confirmed(ctx.db, sequence)
}
