import type { Role } from '@signalbox/contract/member.ts'
import { newId } from '../../infra/ids.ts'
import { hashPassword } from '../../infra/secrets.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { requireRole } from './roles.ts'
import { insertMembership, insertPerson, selectPerson } from './store.ts'

/** Brings a person into the workspace, known already from another one or new. */
export async function addPerson(
  ctx: Context,
  wanted: { email: string; name: string; role: Role; password?: string | undefined },
) {
  requireRole(ctx, 'admin', 'add people')
  const email = wanted.email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new DomainError('invalid_request', `${wanted.email} is not an e-mail address.`)
  const passwordHash = wanted.password === undefined ? null : await hashPassword(wanted.password)

  return change(ctx, async (tx) => {
    const joinedAt = ctx.clock.now()
    let person = await selectPerson(tx, email)
    if (!person) {
      person = { id: newId(joinedAt), email, name: wanted.name.trim() || email }
      await insertPerson(tx, { ...person, passwordHash, createdAt: joinedAt })
    }
    if (!(await insertMembership(tx, ctx.workspaceId, person.id, wanted.role, joinedAt))) {
      throw new DomainError('conflict', `${email} is a member of the workspace already.`)
    }
    return {
      value: person,
      audit: {
        event: 'member_joined',
        entity: { type: 'member', id: person.id, name: person.name },
        details: { role: wanted.role },
      },
    }
  })
}
