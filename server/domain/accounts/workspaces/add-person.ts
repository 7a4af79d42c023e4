import type { Role } from '@signalbox/contract/roles.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { hashPassword } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { insertMembership, insertPasswordOfPerson, insertPerson, selectPersonByEmail } from './store.ts'

interface Joining {
  email: string
  name: string
  role: Role
  /** Of a person who is new; made with `hashPassword`, outside any transaction, because it takes long. */
  passwordHash: string | null
  /** Whether it is known that mail to this address reaches this person. */
  emailVerified: boolean
}

/** Brings a person into the workspace, known already from another one or new. */
export async function addPerson(
  ctx: Context,
  input: { email: string; name: string; role: Role; password?: string | undefined },
) {
  requireRole(ctx, 'admin', 'add people')
  const email = emailIn(input.email)
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password)
  // The operator's word is good for an address, that of an admin of one workspace is not.
  const emailVerified = ctx.actor.type !== 'human'
  return change(ctx, (tx) => joinPerson(ctx, tx, { ...input, email, passwordHash, emailVerified }))
}

/** The same as part of a transaction, with the entry it leaves. */
export async function joinPerson(
  ctx: Pick<Context, 'clock' | 'workspaceId'>,
  tx: Tx,
  input: Joining,
): Promise<{ value: { id: string; email: string; name: string }; audit: Entry<'member_joined'> }> {
  const { email, role } = input
  const person = await findOrCreatePerson(ctx, tx, input)
  if (!(await insertMembership(tx, ctx.workspaceId, person.id, role, ctx.clock.now()))) {
    throw new DomainError('conflict', `${email} is already a member of this workspace.`)
  }
  return {
    value: person,
    audit: {
      event: 'member_joined',
      entity: { type: 'member', id: person.id, name: person.name },
      details: { role },
    },
  }
}

/** The person with that address, who is made if there is none. */
export async function findOrCreatePerson(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { email, name, passwordHash, emailVerified }: Omit<Joining, 'role'>,
): Promise<{ id: string; email: string; name: string }> {
  const known = await selectPersonByEmail(tx, email)
  if (known) return known
  const createdAt = ctx.clock.now()
  const person = { id: newId(createdAt), email, name: name.trim() || email }
  await insertPerson(tx, { ...person, emailVerified, createdAt })
  if (passwordHash !== null)
    await insertPasswordOfPerson(tx, person.id, { id: newId(createdAt), hash: passwordHash, createdAt })
  return person
}

/** The address as it is kept, or a refusal. */
export function emailIn(written: string): string {
  const email = written.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new DomainError('invalid_request', `${written} is not an email address.`)
  return email
}
