import type { Tx } from '../../infra/db/db.ts'
import { insertFormerAlerts, type StoredAlert, selectAlerts, selectFiring, upsertAlerts } from './store.ts'

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

export const saveAlerts = (tx: Tx, workspaceId: string, alerts: StoredAlert[]): Promise<void> =>
  upsertAlerts(tx, workspaceId, alerts)

/** Keeps alerts that leave their incident as it knew them. */
export const keepFormerAlerts = (tx: Tx, workspaceId: string, alerts: StoredAlert[]): Promise<void> =>
  insertFormerAlerts(tx, workspaceId, alerts)
