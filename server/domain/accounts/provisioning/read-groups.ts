import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Part } from './read-users.ts'
import { countGroups, type GroupFilter, selectGroups } from './store.ts'

export type { GroupFilter } from './store.ts'

export type ProvisionedGroup = Awaited<ReturnType<typeof selectGroups>>[number]

/** The groups that a provider has brought, with the people in them. */
export async function listGroups(
  ctx: Context,
  filter: GroupFilter,
  part: Part,
): Promise<{ groups: readonly ProvisionedGroup[]; total: number }> {
  const total = await countGroups(ctx.db, ctx.workspaceId, filter)
  return { groups: part.most > 0 ? await selectGroups(ctx.db, ctx.workspaceId, part, filter) : [], total }
}

export async function readGroup(ctx: Context, id: string): Promise<ProvisionedGroup> {
  const [group] = await selectGroups(ctx.db, ctx.workspaceId, { offset: 0, most: 1 }, { id })
  if (!group) throw noSuchGroup(id)
  return group
}

export const noSuchGroup = (id: string) =>
  new DomainError('not_found', `There is no group \`${id}\` in this workspace.`)
