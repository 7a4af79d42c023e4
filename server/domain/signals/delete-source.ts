import { confirmed, invalidate } from '../../infra/cluster.ts'
import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { requireRole } from '../roles.ts'
import { insertDeliveries, lockSource, selectFiring, updateSource } from './store.ts'

/**
 * Deletes a source. When this returns, its address is unknown on every node. What it delivered stays; what still fires
 * counts as recovered, because nobody is left who could say so.
 */
export async function deleteSource(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'delete a source')
  const sequence = await change(ctx, async (tx) => {
    const source = await lockSource(tx, ctx.workspaceId, id)
    if (!source) throw notFound('source', id)
    const at = ctx.clock.now()
    await updateSource(tx, ctx.workspaceId, id, { deletedAt: at, services: [] }, at)
    await recoverAll(tx, ctx.workspaceId, id, at)
    return {
      value: await invalidate(tx),
      audit: {
        event: 'signal_source_changed',
        entity: { type: 'signal_source', id, name: source.name },
        details: { change: 'deleted' },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}

/** As a delivery of its own, so that incidents hear of it the way they hear of every recovery. */
async function recoverAll(tx: Tx, workspaceId: string, sourceId: string, at: Date): Promise<void> {
  const firing = await selectFiring(tx, sourceId)
  if (firing.length === 0) return
  const now = at.toISOString()
  await insertDeliveries(tx, [
    {
      id: newId(at),
      workspaceId,
      sourceId,
      key: null,
      receivedAt: at,
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
        senderId: alert.sender_id,
      })),
      test: false,
      problem: 'The source was deleted; what still fired counts as recovered.',
      handshake: null,
      waits: true,
    },
  ])
}
