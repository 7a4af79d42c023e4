import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteDeliveriesBefore } from './store.ts'

/** Deletes deliveries that arrived before then, up to `most`. Returns how many those were. */
export const removeOldDeliveries = (
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> => deleteDeliveriesBefore(tx, workspaceId, firstIdAt(before), most)
