import type { Db } from '../../../infra/db/db.ts'
import { selectDueOfAllWorkspaces } from './store.ts'

/** What is to be done outside and has not been: for the sweeper. */
export const dueEffects = (db: Db, now: Date, most: number) => selectDueOfAllWorkspaces(db, now, most)
