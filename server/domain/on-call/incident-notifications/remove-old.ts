import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteNotificationsBefore } from './store.ts'

/** Deletes the outcomes of emails and posts about incidents that are resolved, from before then, up to `most`. */
export const removeOldIncidentNotifications = (
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> => deleteNotificationsBefore(tx, workspaceId, firstIdAt(before), most)
