import { createHash } from 'node:crypto'
import type { Db } from '../../../infra/db/db.ts'
import { selectPersonBy } from './store.ts'

export interface Person {
  id: string
  name: string
  email: string
}

export const findPerson = (db: Db, email: string): Promise<Person | undefined> =>
  selectPersonBy(db, { email: email.trim() })

/** Whose passkey it is, by the id that browsers send along with an assertion. */
export const findPersonOfPasskey = (db: Db, credential: string): Promise<Person | undefined> =>
  selectPersonBy(db, { credential })

/** Who has given the password and is asked for a code, by what that browser was given to come back with. */
export const findPersonOfChallenge = (db: Db, identifier: string): Promise<Person | undefined> =>
  selectPersonBy(db, { challenge: createHash('sha256').update(identifier).digest('base64url') })
