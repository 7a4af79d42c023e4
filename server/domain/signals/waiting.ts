import type { Db, Tx } from '../../infra/db/db.ts'
import { findAlerts, type StoredAlert } from '../alerts/keep.ts'
import {
  type FedService,
  lockSignals,
  selectFed,
  selectWaitingWorkspaces,
  takeWaiting,
  type WaitingDelivery,
} from './store.ts'

/** What waits to be understood, with everything that is known of it. */
export interface Waiting {
  deliveries: WaitingDelivery[]
  fed: readonly FedService[]
  /** By source and fingerprint. */
  alerts: Map<string, StoredAlert>
}

export const nameOf = (sourceId: string, fingerprint: string) => `${sourceId} ${fingerprint}`

/** Takes deliveries of a workspace, oldest first. Held until the transaction ends: nobody else takes the next ones. */
export async function takeSignals(tx: Tx, workspaceId: string, most: number): Promise<Waiting> {
  await lockSignals(tx, workspaceId)
  const deliveries = await takeWaiting(tx, workspaceId, most)
  if (deliveries.length === 0) return { deliveries, fed: [], alerts: new Map() }
  const fed = await selectFed(tx, workspaceId, [...new Set(deliveries.map(({ sourceId }) => sourceId))])
  const sought = new Map(
    deliveries.flatMap(({ sourceId, alerts }) =>
      alerts.map(({ fingerprint }) => [nameOf(sourceId, fingerprint), { sourceId, fingerprint }]),
    ),
  )
  const known = await findAlerts(tx, workspaceId, [...sought.values()])
  const alerts = new Map(known.map((row) => [nameOf(row.source_id, row.fingerprint), row]))
  return { deliveries, fed, alerts }
}

/** Workspaces in which something waits: for the sweeper. */
export const waitingWorkspaces = (db: Db, most: number) => selectWaitingWorkspaces(db, most)
