import type { Clock } from '../../infra/clock.ts'
import type { Db } from '../../infra/db/db.ts'
import { housekeeping } from '../audit/change.ts'
import { type TakenCheck, takeDueChecks } from './store.ts'

export type { TakenCheck } from './store.ts'

/** Takes uptime checks that are due, for this node alone: of several that look, each check goes to one. */
export const dueChecks = ({ db, clock }: { db: Db; clock: Clock }, most: number): Promise<TakenCheck[]> =>
  housekeeping(db, 'take uptime checks', (tx) => takeDueChecks(tx, clock.now(), most))
