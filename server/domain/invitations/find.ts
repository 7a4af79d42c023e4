import type { Clock } from '../../infra/clock.ts'
import type { Db } from '../../infra/db/db.ts'
import { DomainError } from '../errors.ts'
import { codeDigest } from './code.ts'
import { type Held, selectByCode } from './store.ts'

/** The invitation that a link stands for, while it can be accepted. */
export async function findInvitation({ db, clock }: { db: Db; clock: Clock }, code: string): Promise<Held> {
  const invitation = await selectByCode(db, codeDigest(code), clock.now())
  if (!invitation) throw noSuchInvitation()
  return invitation
}

export const noSuchInvitation = () =>
  new DomainError(
    'invitation_not_found',
    'This invitation was accepted or revoked, its week is over, or whoever made it may invite nobody any more. Ask for a new one.',
  )
