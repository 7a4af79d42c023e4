import type { Tx } from '../../../infra/db/db.ts'
import { deleteRunnersBefore } from './store.ts'

/**
 * Deletes runners that can't come back and were last seen before then, once no work order names them anymore, up to
 * `most`: of a fleet, there is one for each order. Others stay, because their instance belongs to their key. Returns how
 * many those were.
 */
export const removeOldRunners = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  deleteRunnersBefore(tx, workspaceId, before, most)
