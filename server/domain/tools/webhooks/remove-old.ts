import type { Tx } from '../../../infra/db/db.ts'
import { deleteMessagesBefore } from './store.ts'

/** Deletes messages from before then with their attempts, those that were never sent too, up to `most`. */
export const removeOldWebhooks = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  deleteMessagesBefore(tx, workspaceId, before, most)
