import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { foldCountsOfAllWorkspaces } from './store.ts'

/** Amounts that are kept are written as changes; this adds them up, so that reading one stays cheap. */
export const foldCounts = ({ db }: { db: Db }): Promise<void> =>
  housekeeping(db, 'add up what is counted', (tx) => foldCountsOfAllWorkspaces(tx))
