import { isAtLeast, type Role } from '@signalbox/contract/roles.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { giveRole } from '../workspaces/change-role.ts'
import { lockMembers } from '../workspaces/lock-members.ts'
import { selectGivenRoles, selectRoles } from './store.ts'

/** The role of people to whom no group gives another. */
const leastRole: Role = 'member'

const highestOf = (given: readonly Role[]): Role =>
  given.reduce((highest, role) => (isAtLeast(role, highest) ? role : highest), leastRole)

/** With which role a person joins. */
export const roleFromGroups = async (tx: Tx, workspaceId: string, personId: string): Promise<Role> =>
  highestOf(await selectGivenRoles(tx, workspaceId, personId))

/** Gives these people the highest role that their groups give, after those have changed; the entries it leaves. */
export async function settleRoles(
  ctx: Context,
  tx: Tx,
  personIds: readonly string[],
): Promise<Entry<'member_role_changed'>[]> {
  if (personIds.length === 0) return []
  // All at once, in one order: two changes of several people do not wait for each other.
  await lockMembers(tx, ctx.workspaceId, personIds)
  const entries: Entry<'member_role_changed'>[] = []
  const people = await selectRoles(tx, ctx.workspaceId, [...personIds])
  const due = people.filter(({ role, given }) => role !== highestOf(given))
  // New owners first, so that the last one can be replaced in one step.
  const inOrder = due.toSorted(
    (a, b) => Number(highestOf(b.given) === 'owner') - Number(highestOf(a.given) === 'owner'),
  )
  for (const { id, given } of inOrder) entries.push(await giveRole(ctx, tx, id, highestOf(given)))
  return entries
}
