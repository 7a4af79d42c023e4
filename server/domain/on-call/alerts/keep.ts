import type { Tx } from '../../../infra/db/db.ts'
import {
  insertAlerts,
  insertFormerAlerts,
  type StoredAlert,
  selectAlerts,
  selectFiring,
  updateAlerts,
} from './store.ts'

export type { StoredAlert } from './store.ts'

/** What is kept of these alerts, as far as they are known. */
export const findAlerts = (
  tx: Tx,
  workspaceId: string,
  sought: { sourceId: string; fingerprint: string }[],
): Promise<readonly StoredAlert[]> => selectAlerts(tx, workspaceId, sought)

/** What still fires of a source. */
export const findFiring = (tx: Tx, workspaceId: string, sourceId: string): Promise<readonly StoredAlert[]> =>
  selectFiring(tx, workspaceId, sourceId)

/** Stores the outcome of alerts; `isKnown` says of which something was kept before. */
export async function saveAlerts(
  tx: Tx,
  workspaceId: string,
  alerts: readonly StoredAlert[],
  isKnown: (alert: StoredAlert) => boolean,
): Promise<void> {
  const { known = [], fresh = [] } = Object.groupBy(alerts, (alert) => (isKnown(alert) ? 'known' : 'fresh'))
  await insertAlerts(tx, workspaceId, fresh)
  await updateAlerts(tx, workspaceId, known)
}

/** Keeps alerts that leave their incident as it knew them. */
export const keepFormerAlerts = (tx: Tx, workspaceId: string, alerts: StoredAlert[]): Promise<void> =>
  insertFormerAlerts(tx, workspaceId, alerts)
