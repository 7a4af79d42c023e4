import type { Tx } from '../../../infra/db/db.ts'
import type { Entry } from '../../record/audit/change.ts'
import { type Arrived, type ArrivedFrom, type By, theIntake } from './arrived.ts'
import { insertDeliveries, teamsOfSources } from './store.ts'

const mostListed = 5

/** Writes down deliveries that a round has taken, and returns what the log says of each. */
export async function recordDeliveries(
  tx: Tx,
  workspaceId: string,
  deliveries: readonly ArrivedFrom[],
  behind: Tx,
): Promise<{ by: By; entry: Entry }[]> {
  const fresh = deliveries.filter(({ isRecorded }) => !isRecorded)
  const teams = await teamsOfSources(
    tx,
    workspaceId,
    fresh.map(({ sourceId }) => sourceId),
  )
  await insertDeliveries(behind, workspaceId, fresh)
  return fresh.map((delivery) => ({
    by: delivery.by ?? theIntake,
    entry: entryOf(delivery.sourceId, delivery, teams.get(delivery.sourceId) ?? null),
  }))
}

const entryOf = (sourceId: string, delivery: Arrived, team: string | null): Entry => ({
  event: 'signal_received',
  team,
  entity: { type: 'signal_source', id: sourceId, name: delivery.source!.name },
  details: {
    kind: delivery.source!.kind,
    delivery: delivery.id,
    alerts: delivery.alerts.length,
    // What it was understood to say; of a long delivery, its beginning.
    told: delivery.alerts
      .slice(0, mostListed)
      .map(({ title, status, severity }) => ({ title: title.slice(0, 120), status, severity })),
    ...(delivery.test ? { test: true as const } : {}),
    ...(delivery.problem ? { problem: delivery.problem } : {}),
    ...(delivery.handshake ? { handshake: delivery.handshake.type } : {}),
  },
})
