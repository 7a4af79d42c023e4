import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteEffectsBefore } from './store.ts'

/**
 * Deletes effects that were done or withdrawn before then, up to `most`. The key of an effect keeps it from being done
 * twice, so those of a run or an incident stay for as long as it is open. Returns how many those were.
 */
export const removeOldEffects = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  deleteEffectsBefore(tx, workspaceId, { before, beforeId: firstIdAt(before), most })
