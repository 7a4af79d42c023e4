import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import { codeDigest } from './code.ts'
import { type Held, selectByCode } from './store.ts'

/** The invitation of a link, while it can be accepted. */
export async function findInvitation({ db, clock }: { db: Db; clock: Clock }, code: string): Promise<Held> {
  const invitation = await selectByCode(db, codeDigest(code), clock.now())
  if (!invitation) throw noSuchInvitation()
  return invitation
}

export const noSuchInvitation = () =>
  new DomainError(
    'invitation_not_found',
    'This invitation was used, revoked or has expired, or the person who sent it can no longer invite people. Ask for a new one.',
  )
