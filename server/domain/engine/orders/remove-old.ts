import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteOrdersBefore } from './order-store.ts'

/** Deletes work orders that ended before then, of runs that are over, up to `most`. Returns how many those were. */
export const removeOldOrders = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  deleteOrdersBefore(tx, workspaceId, { before, beforeId: firstIdAt(before), most })
