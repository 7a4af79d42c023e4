import { hashPassword } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { changeTogether } from '../../record/audit/change.ts'
import { joinPerson } from '../workspaces/add-person.ts'
import { codeDigest } from './code.ts'
import { findInvitation, noSuchInvitation } from './find.ts'
import { lockByCode, markAccepted } from './store.ts'

export interface Accepted {
  personId: string
  email: string
  workspace: string
  /** Whether the person was made just now, with the password that came along. */
  isNew: boolean
}

/**
 * Joins the workspace. The invitation is bound to its address: a person known by that address joins as themselves and
 * must be signed in; a new person gives a name and chooses a password.
 */
export async function acceptInvitation(
  services: Pick<Context, 'db' | 'clock' | 'queue' | 'origin'>,
  code: string,
  by: { signedIn: { personId: string } | null; name?: string | undefined; password?: string | undefined },
): Promise<Accepted> {
  const invitation = await findInvitation(services, code)
  const isNew = invitation.personId === null
  if (!isNew && by.signedIn?.personId !== invitation.personId)
    throw new DomainError('not_signed_in', `Sign in as ${invitation.email} to accept this invitation.`)
  if (isNew && (by.name === undefined || !by.name.trim() || by.password === undefined))
    throw new DomainError('invalid_request', 'To join, send a `name` and choose a `password`.')
  const passwordHash = isNew ? await hashPassword(by.password!) : null

  return changeTogether(services, async (tx) => {
    const held = await lockByCode(tx, codeDigest(code), services.clock.now())
    // By now it may have been accepted, or a person with that address may have signed up.
    if (!held || (held.personId === null) !== isNew) throw noSuchInvitation()
    const { workspaceId, role, email } = held
    const joined = await joinPerson({ ...services, workspaceId }, tx, {
      email,
      name: by.name ?? '',
      role,
      passwordHash,
      emailVerified: held.mailed,
    })
    const person = joined.value
    await markAccepted(tx, workspaceId, held.id, services.clock.now())
    const actor = { type: 'human', name: person.name, userId: person.id, role } as const
    const details = { ...joined.audit.details, invitation: held.id }
    return {
      value: { personId: person.id, email, workspace: held.readWorkspaceSlug, isNew },
      audit: [
        {
          ctx: { ...services, workspaceId, actor, channel: 'app' },
          entry: { ...joined.audit, details },
        },
      ],
    }
  })
}
