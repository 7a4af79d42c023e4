import type { Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { deleteAlertsBefore, deleteFormerAlertsBefore } from './store.ts'

/**
 * Deletes alerts that recovered and were last reported before then, unless their incident is still open; up to `most` of
 * each kind. Returns how many those were.
 */
export async function removeOldAlerts(
  tx: Tx,
  workspaceId: string,
  before: Date,
  most: number,
): Promise<number> {
  const old = { before, beforeId: firstIdAt(before), most }
  return (
    (await deleteAlertsBefore(tx, workspaceId, old)) + (await deleteFormerAlertsBefore(tx, workspaceId, old))
  )
}
