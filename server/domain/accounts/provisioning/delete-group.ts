import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { noSuchGroup } from './read-groups.ts'
import { settleRoles } from './settle-roles.ts'
import { deleteGroupById, lockProvisioning, selectGroups } from './store.ts'

/** Removes a group; the people in it lose the role that it gave. */
export async function deleteGroup(ctx: Context, id: string): Promise<void> {
  const sequence = await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    const [group] = await selectGroups(tx, ctx.workspaceId, { offset: 0, most: 1 }, { id })
    if (!group) throw noSuchGroup(id)
    await deleteGroupById(tx, ctx.workspaceId, id)
    const people = group.members.map(({ value }) => value)
    const roles = group.role === null ? [] : await settleRoles(ctx, tx, people)
    return {
      value: await invalidate(tx),
      audit: [
        {
          event: 'provisioning_changed',
          entity: { type: 'group', id, name: group.displayName },
          details: { change: 'group_deleted', removed: people },
        },
        ...roles,
      ],
    }
  })
  await confirmed(ctx.db, sequence)
}
