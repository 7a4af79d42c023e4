import type { Tx } from '../../../infra/db/db.ts'
import { deleteMessagesBefore } from './store.ts'

/**
 * Forgets which messages were posted in chat tools before then, up to `most`. Those about something that is open stay:
 * they are updated, and replies to them are understood. Returns how many those were.
 */
export const removeOldMessages = (tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> =>
  deleteMessagesBefore(tx, workspaceId, before, most)
