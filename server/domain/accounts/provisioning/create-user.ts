import { maxNameLength } from '@signalbox/contract/limits.ts'
import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { plainLine } from '../../plain-text.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { emailIn, findOrCreatePerson, joinPerson } from '../workspaces/add-person.ts'
import { readUser } from './read-users.ts'
import { roleFromGroups } from './settle-roles.ts'
import { lockProvisioning, selectUsers, upsertUser } from './store.ts'

/** What a provider says of a person. */
export interface UserGiven {
  userName: string
  externalId: string | null
  givenName: string | null
  familyName: string | null
  displayName: string | null
  active: boolean
}

/**
 * Brings a person into the workspace for their identity provider. A person known by the address joins as themselves: the
 * provider learns nothing of them, and changes nothing of theirs. A new one has no password, so that the address may
 * count as verified: no one but its owner can sign in with it.
 */
export async function createUser(ctx: Context, given: UserGiven & { email: string }) {
  const email = emailIn(given.email)
  const { id, sequence } = await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    const name = plainLine(given.displayName ?? given.userName, maxNameLength)
    const person = await findOrCreatePerson(ctx, tx, { email, name, passwordHash: null, emailVerified: true })
    const find = (by: { id: string } | { userName: string }) =>
      selectUsers(tx, ctx.workspaceId, { offset: 0, most: 2 }, by)
    const [known] = await find({ id: person.id })
    const isTaken = (await find({ userName: given.userName })).some((user) => user.id !== person.id)
    if (known?.isProvisioned || isTaken) throw userNameTaken(given.userName)
    const at = ctx.clock.now()
    await upsertUser(tx, ctx.workspaceId, person.id, { ...given, at })
    const audit: Entry[] = [
      {
        event: 'provisioning_changed',
        entity: { type: 'member', id: person.id, name: person.name },
        details: { change: 'user_created' },
      },
    ]
    if (given.active && !known?.active) {
      const role = await roleFromGroups(tx, ctx.workspaceId, person.id)
      audit.push(
        (await joinPerson(ctx, tx, { ...person, role, passwordHash: null, emailVerified: true })).audit,
      )
    }
    return { value: { id: person.id, sequence: await invalidate(tx) }, audit }
  })
  await confirmed(ctx.db, sequence)
  return readUser(ctx, id)
}

export const userNameTaken = (userName: string) =>
  new DomainError('conflict', `There is already a user \`${userName}\` in this workspace.`, {
    scimType: 'uniqueness',
  })
