import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { joinPerson } from '../workspaces/add-person.ts'
import { type UserGiven, userNameTaken } from './create-user.ts'
import { noSuchUser, type ProvisionedUser, readUser } from './read-users.ts'
import { removeFromWorkspace } from './remove-from-workspace.ts'
import { roleFromGroups } from './settle-roles.ts'
import { lockProvisioning, selectUsers, upsertUser } from './store.ts'

const fields = ['userName', 'externalId', 'givenName', 'familyName', 'displayName'] as const

/**
 * Makes a user what the provider says; `next` is made from the user as it is, while no one else changes it. A user who is
 * no longer active is taken out of the workspace. Name and address of the account stay the person's own: it may belong
 * to other workspaces, too, and who can change an address can reset a password.
 */
export async function changeUser(
  ctx: Context,
  id: string,
  next: (user: ProvisionedUser) => UserGiven,
): Promise<ProvisionedUser> {
  const sequence = await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    const one = { offset: 0, most: 1 }
    const [user] = await selectUsers(tx, ctx.workspaceId, one, { id })
    if (!user) throw noSuchUser(id)
    const given = next(user)
    const [namesake] = await selectUsers(
      tx,
      ctx.workspaceId,
      { offset: 0, most: 2 },
      { userName: given.userName },
    )
    if (namesake && namesake.id !== id) throw userNameTaken(given.userName)
    const changed = fields.filter((field) => user[field] !== given[field])
    const audit: Entry[] = []
    // A provider that switches a member on or off knows that member from then on.
    if (changed.length > 0 || (user.active !== given.active && !user.isProvisioned)) {
      await upsertUser(tx, ctx.workspaceId, id, { ...given, at: ctx.clock.now() })
      audit.push({
        event: 'provisioning_changed',
        entity: { type: 'member', id, name: user.name },
        details: { change: 'user_changed', fields: changed },
      })
    }
    if (user.active && !given.active) audit.push(...(await removeFromWorkspace(ctx, tx, user)))
    if (!user.active && given.active) {
      const role = await roleFromGroups(tx, ctx.workspaceId, id)
      const joining = { email: user.email, name: user.name, role, passwordHash: null, emailVerified: false }
      audit.push((await joinPerson(ctx, tx, joining)).audit)
    }
    return { value: await invalidate(tx), audit }
  })
  await confirmed(ctx.db, sequence)
  return readUser(ctx, id)
}
