import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteDeliveriesBefore, deleteRefusalsBefore } from './store.ts'

/**
 * Deletes deliveries that arrived before then, and what was counted of those that were refused, up to `most` of each.
 * Returns how many rows those were.
 */
export async function removeOldDeliveries(
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> {
  const deliveries = await deleteDeliveriesBefore(tx, workspaceId, firstIdAt(before), most)
  return deliveries + (await deleteRefusalsBefore(tx, workspaceId, before, most))
}
