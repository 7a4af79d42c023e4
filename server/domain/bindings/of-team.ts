import type { Db, Tx } from '../../infra/db/db.ts'
import { selectTrackers, type TeamTracker } from './store.ts'

/** Where a team's stories come from; null: the built-in tracker. */
export const trackerOf = async (
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<TeamTracker | null> => (await selectTrackers(db, workspaceId, { teamId }))[0] ?? null
