import { type Tx, write } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { findFiring } from '../alerts/keep.ts'
import type { Arrived } from './arrived.ts'
import { acknowledgeOfAllWorkspaces, insertDeliveries } from './store.ts'

/**
 * Counts everything that still fires at a deleted source as recovered, because nothing will report its recovery any
 * more. It is written as a delivery, so that incidents handle it like any other recovery.
 */
export async function recoverAll(tx: Tx, workspaceId: string, sourceId: string, at: Date): Promise<void> {
  const firing = await findFiring(tx, workspaceId, sourceId)
  if (firing.length === 0) return
  const now = at.toISOString()
  const delivery: Arrived = {
    id: newId(at),
    receivedAt: now,
    alerts: firing.map((alert) => ({
      title: alert.title,
      status: 'resolved',
      severity: alert.severity,
      fingerprint: alert.fingerprint,
      service: null,
      environment: alert.environment,
      description: alert.description,
      startedAt: alert.started_at?.toISOString() ?? null,
      endedAt: now,
      labels: alert.labels,
      links: alert.links,
      severityGiven: false,
      occurredAt: now,
      updateOnly: false,
      isTest: alert.is_test,
      cuts: alert.cuts,
      senderId: alert.sender_id,
    })),
    test: false,
    problem: 'The source was deleted, so its firing alerts count as recovered.',
    handshake: null,
    waits: true,
    // The entry is that of the deletion.
    isRecorded: true,
  }
  await insertDeliveries(tx, workspaceId, [{ ...delivery, sourceId }])
  await acknowledgeOfAllWorkspaces(
    (statement, parameters) => write(tx, statement, parameters),
    [
      {
        id: delivery.id,
        workspaceId,
        sourceId,
        key: null,
        receivedAt: at,
        arrived: JSON.stringify(delivery),
      },
    ],
  )
}
