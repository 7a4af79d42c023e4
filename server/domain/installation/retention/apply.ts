import type { RetentionKind } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { removeOldNotifications } from '../../accounts/notifications/remove-old.ts'
import { asService, type Context } from '../../context.ts'
import { removeOldOrders } from '../../engine/orders/remove-old.ts'
import { removeOldRunners } from '../../engine/runners/remove-old.ts'
import { removeOldAlerts } from '../../on-call/alerts/remove-old.ts'
import { removeOldIncidentNotifications } from '../../on-call/incident-notifications/remove-old.ts'
import { removeOldDeliveries } from '../../on-call/signals/remove-old.ts'
import { change } from '../../record/audit/change.ts'
import { removeOldExports } from '../../record/audit/remove-old-exports.ts'
import { removeOldEffects } from '../../record/outbox/remove-old.ts'
import { thinOldCheckpoints } from '../../record/seals/thin-checkpoints.ts'
import { removeOldHookDeliveries } from '../../tools/connections/remove-old-deliveries.ts'
import { removeOldRefusals } from '../../tools/connections/remove-old-refusals.ts'
import { removeOldWebhooks } from '../../tools/webhooks/remove-old.ts'
import { removeOldMessages } from '../../work/chat/remove-old.ts'
import { removeOldFiles } from '../../work/files/remove-old.ts'
import { removed, thinLogs, thinned } from '../../work/runs/log/thin.ts'
import { selectAllWorkspaces } from './store.ts'

/** For how many days each kind is kept; 0: forever. */
export type Retention = Readonly<Record<RetentionKind, number>>

/** In one transaction. */
const most = 20_000
/** Of one kind, one after the other. What is left is done in the next hour. */
const mostBatches = 50

type Remove = (tx: Tx, workspaceId: string, before: Date, most: number, now: Date) => Promise<number>

// A log that is due to go altogether needs no thinning first.
const removals: Record<RetentionKind, Remove> = {
  run_logs: (tx, workspaceId, before) => thinLogs(tx, workspaceId, before, removed),
  run_log_lines: (tx, workspaceId, before) => thinLogs(tx, workspaceId, before, thinned),
  run_files: (tx, workspaceId, before, _, now) => removeOldFiles(tx, workspaceId, { before, now }),
  finished_work: removeFinishedWork,
  deliveries: removeOldDeliveries,
  alerts: removeOldAlerts,
  notifications: removeOldNotifications,
  exports: removeOldExports,
  checkpoints: thinOldCheckpoints,
  webhooks: removeOldWebhooks,
  tool_deliveries: removeOldHookDeliveries,
}

/**
 * In this order: what is told about an incident refers to its effect, an effect to the refusal that it waited for, and an
 * order to its runner.
 */
async function removeFinishedWork(tx: Tx, workspaceId: string, before: Date, most: number): Promise<number> {
  let count = 0
  for (const remove of [
    ...[removeOldIncidentNotifications, removeOldEffects, removeOldRefusals],
    ...[removeOldOrders, removeOldRunners, removeOldMessages],
  ])
    count += await remove(tx, workspaceId, before, most)
  return count
}

/**
 * Removes what is older than it is kept for, in batches. Each batch has one entry in its workspace, in the transaction in
 * which it went. Returns how many rows that were.
 */
export async function applyRetention(
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  retention: Retention,
): Promise<number> {
  let total = 0
  for (const workspace of await selectAllWorkspaces(services.db))
    for (const kind of Object.keys(removals) as RetentionKind[]) {
      if (retention[kind] === 0) continue
      const now = services.clock.now()
      const before = new Date(now.getTime() - retention[kind] * 86_400_000)
      for (let batch = 0; batch < mostBatches; batch += 1) {
        const count = await removeBatch(services, workspace, kind, { before, now })
        total += count
        if (count === 0) break
      }
    }
  return total
}

const removeBatch = (
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  { id, slug, name }: { id: string; slug: string; name: string },
  kind: RetentionKind,
  { before, now }: { before: Date; now: Date },
): Promise<number> =>
  change(asService(services, id), async (tx) => {
    const count = await removals[kind](tx, id, before, most, now)
    const entry = {
      event: 'retention_applied',
      entity: { type: 'workspace', id: slug, name },
      details: { kind, removed: count, before: before.toISOString() },
    } as const
    return { value: count, audit: count > 0 ? entry : [] }
  })
