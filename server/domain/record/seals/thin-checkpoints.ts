import type { Tx } from '../../../infra/db/db.ts'
import { thinCheckpoints } from './store.ts'

/**
 * Of the checkpoints from before then, only the last of each hour stays. The leaves still lead to the roots of the others,
 * so one that was saved elsewhere can be compared as before.
 */
export const thinOldCheckpoints = (
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> => thinCheckpoints(tx, workspaceId, before, most)
