import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { countUsers, selectUsers, type UserFilter } from './store.ts'

export type { UserFilter } from './store.ts'

export type ProvisionedUser = Awaited<ReturnType<typeof selectUsers>>[number]

/** A part of a list, as SCIM counts: how many to leave out, and the most there may be. */
export interface Part {
  offset: number
  most: number
}

/** Members of the workspace and people who were taken out of it by their provider, by id. */
export async function listUsers(
  ctx: Context,
  filter: UserFilter,
  part: Part,
): Promise<{ users: readonly ProvisionedUser[]; total: number }> {
  const total = await countUsers(ctx.db, ctx.workspaceId, filter)
  return { users: part.most > 0 ? await selectUsers(ctx.db, ctx.workspaceId, part, filter) : [], total }
}

export async function readUser(ctx: Context, id: string): Promise<ProvisionedUser> {
  const [user] = await selectUsers(ctx.db, ctx.workspaceId, { offset: 0, most: 1 }, { id })
  if (!user) throw noSuchUser(id)
  return user
}

export const noSuchUser = (id: string) =>
  new DomainError('not_found', `There is no user \`${id}\` in this workspace.`)
