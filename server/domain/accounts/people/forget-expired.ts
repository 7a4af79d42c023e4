import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { deleteExpiredOfAllPeople } from './store.ts'

/** Sessions, links and counts whose time is over. They do nothing any more; this is about space. */
export const forgetExpired = ({ db, clock }: { db: Db; clock: Clock }): Promise<void> =>
  housekeeping(db, 'forget what has expired of signing in', (tx) => deleteExpiredOfAllPeople(tx, clock.now()))
