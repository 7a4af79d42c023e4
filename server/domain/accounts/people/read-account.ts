import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { selectAccount, selectSessionsOf } from './store.ts'

/** What a person may see of how they sign in. */
export async function readAccount(db: Db, personId: string) {
  const account = await selectAccount(db, personId)
  if (!account) throw new Error('a person who is signed in is not there')
  return account
}

/** One's own sessions that live, the one used last first. */
export const listSessions = ({ db, clock }: { db: Db; clock: Clock }, personId: string) =>
  selectSessionsOf(db, personId, clock.now())
