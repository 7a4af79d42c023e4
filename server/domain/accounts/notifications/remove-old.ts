import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteNotificationsBefore } from './store.ts'

/** Deletes notifications from before then, read or not, up to `most`. Returns how many those were. */
export const removeOldNotifications = (
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> => deleteNotificationsBefore(tx, workspaceId, firstIdAt(before), most)
