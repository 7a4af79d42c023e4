import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { hasDueChecksOfAllWorkspaces, type TakenCheck, takeDueChecksOfAllWorkspaces } from './store.ts'

export type { TakenCheck } from './store.ts'

/** Takes uptime checks that are due, for this node alone: of several that look, each check goes to one. */
export async function dueChecks(
  { db, clock }: { db: Db; clock: Clock },
  most: number,
): Promise<TakenCheck[]> {
  const now = clock.now()
  // Mostly none is: a read costs less than a transaction, and goes out together with the others of this second.
  if (!(await hasDueChecksOfAllWorkspaces(db, now))) return []
  return housekeeping(db, 'take uptime checks', (tx) => takeDueChecksOfAllWorkspaces(tx, now, most))
}
