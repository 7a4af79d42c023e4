import { DomainError } from '../../errors.ts'
import { type Recording, recordOfPerson } from './record.ts'
import { deleteSessions } from './store.ts'

/** Ends a session of one's own. The next request with its cookie is refused. */
export async function revokeSession(services: Recording, personId: string, id: string): Promise<void> {
  await recordOfPerson(
    services,
    { personId, event: 'session_revoked', details: { which: 'one', session: id } },
    async (tx) => {
      if ((await deleteSessions(tx, personId, { id })) === 0)
        throw new DomainError('session_not_found', 'This session was not found. It may have ended.')
    },
  )
}

/** Ends all sessions of one's own but the one in use. */
export async function revokeOtherSessions(
  services: Recording,
  personId: string,
  currentId: string,
): Promise<void> {
  await recordOfPerson(
    services,
    { personId, event: 'session_revoked', details: { which: 'all_others' } },
    (tx) => deleteSessions(tx, personId, { exceptId: currentId }),
  )
}
