import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { type GroupGiven, refuseNamesake, requireUsers } from './create-group.ts'
import { noSuchGroup, type ProvisionedGroup, readGroup } from './read-groups.ts'
import { settleRoles } from './settle-roles.ts'
import {
  deleteGroupMembers,
  insertGroupMembers,
  lockProvisioning,
  selectGroups,
  updateGroup,
} from './store.ts'

const fields = ['displayName', 'externalId'] as const

/** Makes a group what the provider says, and gives people who came or went the roles that follow. */
export async function changeGroup(
  ctx: Context,
  id: string,
  next: (group: ProvisionedGroup) => GroupGiven,
): Promise<ProvisionedGroup> {
  const sequence = await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    const [group] = await selectGroups(tx, ctx.workspaceId, { offset: 0, most: 1 }, { id })
    if (!group) throw noSuchGroup(id)
    const given = next(group)
    const { displayName, externalId } = given
    await refuseNamesake(ctx, tx, id, displayName)
    const before = new Set(group.members.map(({ value }) => value))
    const after = new Set(given.members)
    const added = await requireUsers(ctx, tx, [...after.difference(before)])
    const removed = [...before.difference(after)]
    const changed = fields.filter((field) => group[field] !== given[field])
    if (changed.length + added.length + removed.length === 0)
      return { value: await invalidate(tx), audit: [] }
    await updateGroup(tx, ctx.workspaceId, id, { displayName, externalId, at: ctx.clock.now() })
    await insertGroupMembers(tx, ctx.workspaceId, id, added)
    await deleteGroupMembers(tx, ctx.workspaceId, id, removed)
    const roles = group.role === null ? [] : await settleRoles(ctx, tx, [...added, ...removed])
    return {
      value: await invalidate(tx),
      audit: [
        {
          event: 'provisioning_changed',
          entity: { type: 'group', id, name: displayName },
          details: {
            change: 'group_changed',
            ...(changed.length > 0 ? { fields: changed } : {}),
            ...(added.length > 0 ? { added } : {}),
            ...(removed.length > 0 ? { removed } : {}),
          },
        },
        ...roles,
      ],
    }
  })
  await confirmed(ctx.db, sequence)
  return readGroup(ctx, id)
}
