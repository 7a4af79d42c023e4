import type { Db, Tx } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { findAlerts, type StoredAlert } from '../alerts/keep.ts'
import type { Arrived, ArrivedFrom } from './arrived.ts'
import { routeOf } from './route.ts'
import { type Shard, shardsOf } from './shards.ts'
import {
  deleteIntake,
  type FedService,
  lockServices,
  lockSources,
  selectFed,
  selectIntake,
  selectWaitingSources,
  selectWaitingWorkspaces,
  tryLockSources,
} from './store.ts'

/** What is known of the alerts that deliveries report. */
export interface Known {
  fed: readonly FedService[]
  /** By source and fingerprint. */
  alerts: Map<string, StoredAlert>
  /** Those that alerts are routed to, or were. They are held until the transaction ends. */
  serviceIds: string[]
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

/** What waits in a workspace, divided into what can be taken side by side. */
export const waitingShards = async (db: Db, workspaceId: string): Promise<Shard[]> =>
  shardsOf(await selectWaitingSources(db, workspaceId))

/** Returns when no one else has the sources of a shard. */
export const waitForShard = (db: Db, workspaceId: string, { locks }: Shard): Promise<void> =>
  housekeeping(db, 'wait for another node that works off alerts', (tx) => lockSources(tx, workspaceId, locks))

/**
 * Takes what has arrived from the sources of a shard: the oldest of each, in order of arrival. They are held until the
 * transaction ends, so that no one else takes the next ones. Null where someone has them already.
 */
export async function takeSignals(
  tx: Tx,
  workspaceId: string,
  { sources, locks }: Shard,
  most: Portion,
): Promise<Taken | null> {
  if (!(await tryLockSources(tx, workspaceId, locks))) return null
  const rows = await selectIntake(tx, workspaceId, sources, most)
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

/**
 * What is known of everything that the deliveries report. Locks are taken in the order sources, services, incidents,
 * each sorted, so that two rounds never wait for each other.
 */
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
  const serviceIds = [
    ...new Set([...routedTo(deliveries, fed), ...known.flatMap((row) => row.service_id ?? [])]),
  ]
  if (serviceIds.length > 0) await lockServices(tx, workspaceId, serviceIds)
  return {
    fed,
    alerts: new Map(known.map((row) => [nameOf(row.source_id, row.fingerprint), row])),
    serviceIds,
  }
}

/** Not every service that a source feeds: a source of all services would hold up every other. */
function routedTo(deliveries: readonly ArrivedFrom[], fed: readonly FedService[]): string[] {
  const bySource = Map.groupBy(fed, ({ sourceId }) => sourceId)
  return deliveries.flatMap(({ sourceId, alerts }) =>
    alerts.flatMap(({ service }) => {
      const route = routeOf(service, bySource.get(sourceId) ?? [])
      return 'serviceId' in route ? [route.serviceId] : []
    }),
  )
}

/** Workspaces in which deliveries wait, on any node. */
export const waitingWorkspaces = (db: Db, most: number) => selectWaitingWorkspaces(db, most)
