import type { Db, Tx } from '../../../infra/db/db.ts'
import { findAlerts, type StoredAlert } from '../alerts/keep.ts'
import type { Arrived, ArrivedFrom } from './arrived.ts'
import {
  deleteIntake,
  type FedService,
  lockSignals,
  selectFed,
  selectIntake,
  selectWaitingWorkspaces,
} from './store.ts'

/** What is known of the alerts that deliveries tell of. */
export interface Known {
  fed: readonly FedService[]
  /** By source and fingerprint. */
  alerts: Map<string, StoredAlert>
}

/** How much a round takes. */
export interface Portion {
  rows: number
  bytes: number
}

export interface Taken {
  deliveries: ArrivedFrom[]
  /** Whether that was not all. */
  isMore: boolean
}

export const nameOf = (sourceId: string, fingerprint: string) => `${sourceId} ${fingerprint}`

/**
 * Takes what has arrived in a workspace: the oldest of each source, in order of arrival. The lock is held until the
 * transaction ends, so that no one else takes the next ones.
 */
export async function takeSignals(tx: Tx, workspaceId: string, most: Portion): Promise<Taken> {
  await lockSignals(tx, workspaceId)
  const rows = await selectIntake(tx, workspaceId, most)
  if (rows.length === 0) return { deliveries: [], isMore: false }
  await deleteIntake(tx, workspaceId, rows)
  const deliveries = rows.flatMap(({ sourceId, deliveries: text }) =>
    (JSON.parse(text) as Arrived[]).map((arrived) => ({ ...arrived, sourceId })),
  )
  const bytes = rows.reduce((sum, { deliveries: text }) => sum + Buffer.byteLength(text), 0)
  return {
    deliveries: deliveries.sort((a, b) => (a.id < b.id ? -1 : 1)),
    isMore: rows.length >= most.rows || bytes >= most.bytes,
  }
}

/** What is known of everything that the deliveries tell of. */
export async function knownOf(
  tx: Tx,
  workspaceId: string,
  deliveries: readonly ArrivedFrom[],
): Promise<Known> {
  const sought = new Map(
    deliveries.flatMap(({ sourceId, alerts }) =>
      alerts.map(({ fingerprint }) => [nameOf(sourceId, fingerprint), { sourceId, fingerprint }]),
    ),
  )
  const fed = await selectFed(tx, workspaceId, [...new Set(deliveries.map(({ sourceId }) => sourceId))])
  const known = await findAlerts(tx, workspaceId, [...sought.values()])
  return { fed, alerts: new Map(known.map((row) => [nameOf(row.source_id, row.fingerprint), row])) }
}

/** Workspaces in which deliveries wait, on any node. */
export const waitingWorkspaces = (db: Db, most: number) => selectWaitingWorkspaces(db, most)
