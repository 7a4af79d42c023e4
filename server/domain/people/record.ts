import type { Tx } from '../../infra/db/db.ts'
import { changeTogether, type Entry, housekeeping } from '../audit/change.ts'
import { type Context, theService } from '../context.ts'
import { deleteSessions, proveAddress, selectPlacesOf } from './store.ts'

export type Recording = Pick<Context, 'db' | 'clock' | 'queue' | 'origin'>

/** With what somebody signs in. */
export type Method =
  | 'password'
  | 'password and code'
  | 'password and backup code'
  | 'passkey'
  | 'identity provider'

type Happening = Pick<Entry, 'event' | 'result' | 'details'>

/**
 * Writes what somebody did about signing in into the log of each workspace that person is in, together with what `work`
 * does.
 */
export async function recordOfPerson<T>(
  services: Recording,
  personId: string,
  happening: Happening,
  work: (tx: Tx) => Promise<T>,
  /** Of an attempt that failed it is not known who made it. */
  by: 'person' | 'nobody known' = 'person',
): Promise<T> {
  return changeTogether(services, async (tx) => {
    const value = await work(tx)
    const places = await selectPlacesOf(tx, personId)
    return {
      value,
      audit: places.map(({ workspaceId, role, name }) => ({
        ctx: {
          ...services,
          workspaceId,
          actor: by === 'person' ? { type: 'human', name, userId: personId, role } : theService,
          channel: 'app',
        },
        entry: { ...happening, entity: { type: 'member', id: personId, name } },
      })),
    }
  })
}

const nothingElse = async () => {}

export const recordSignIn = (services: Recording, personId: string, method: Method): Promise<void> =>
  recordOfPerson(services, personId, { event: 'signed_in', details: { method } }, nothingElse)

export const recordFailedSignIn = (services: Recording, personId: string, method: Method): Promise<void> =>
  recordOfPerson(
    services,
    personId,
    { event: 'sign_in_failed', result: 'denied', details: { method } },
    nothingElse,
    'nobody known',
  )

export const recordSignOut = (services: Recording, personId: string): Promise<void> =>
  recordOfPerson(services, personId, { event: 'signed_out' }, nothingElse)

/** What somebody signs in with was added, changed or taken away. */
export const recordMethodChange = (
  services: Recording,
  personId: string,
  details: { method: string; action: 'added' | 'changed' | 'removed' | 'reset' },
): Promise<void> =>
  recordOfPerson(services, personId, { event: 'sign_in_method_changed', details }, nothingElse)

/** Somebody had a link that was mailed to the address, or that the operator handed out, and chose a new password. */
export const recordReset = (services: Recording, personId: string): Promise<void> =>
  recordOfPerson(
    services,
    personId,
    { event: 'sign_in_method_changed', details: { method: 'password', action: 'reset' } },
    (tx) => proveAddress(tx, personId, services.clock.now()),
  )

/** Ends a session that could not be recorded. */
export async function endUnrecorded(
  { db }: Pick<Context, 'db'>,
  session: { personId: string; sessionId: string },
): Promise<void> {
  await housekeeping(db, 'a sign-in that is not in the log has not happened', (tx) =>
    deleteSessions(tx, session.personId, { id: session.sessionId }),
  )
}
