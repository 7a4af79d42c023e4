import type { Tx } from '../../../infra/db/db.ts'
import { deleteDeliveriesBefore } from './store.ts'

/** Deletes what hooks of connected tools brought before then and is understood, up to `most`. */
export const removeOldHookDeliveries = (
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> => deleteDeliveriesBefore(tx, workspaceId, before, most)
