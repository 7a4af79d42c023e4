import type { RetentionKind } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { removeOldNotifications } from '../../accounts/notifications/remove-old.ts'
import { asService, type Context } from '../../context.ts'
import { removeOldAlerts } from '../../on-call/alerts/remove-old.ts'
import { removeOldDeliveries } from '../../on-call/signals/remove-old.ts'
import { change } from '../../record/audit/change.ts'
import { removeOldExports } from '../../record/audit/remove-old-exports.ts'
import { removed, thinLogs, thinned } from '../../work/runs/log/thin.ts'
import { selectAllWorkspaces } from './store.ts'

/** For how many days each kind is kept; 0: for ever. */
export type Retention = Readonly<Record<RetentionKind, number>>

/** In one transaction. What is left is done in the next hour. */
const most = 20_000

type Remove = (tx: Tx, workspaceId: string, before: Date, most: number) => Promise<number>

// A log that is due to go altogether needs no thinning first.
const removals: Record<RetentionKind, Remove> = {
  run_logs: (tx, workspaceId, before) => thinLogs(tx, workspaceId, before, removed),
  run_log_lines: (tx, workspaceId, before) => thinLogs(tx, workspaceId, before, thinned),
  deliveries: removeOldDeliveries,
  alerts: removeOldAlerts,
  notifications: removeOldNotifications,
  exports: removeOldExports,
}

/**
 * Removes what is older than it is kept for. Each workspace has one entry for each kind of which something went, in the
 * transaction in which it went. Returns how many rows that were.
 */
export async function applyRetention(
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  retention: Retention,
): Promise<number> {
  let total = 0
  for (const workspace of await selectAllWorkspaces(services.db))
    for (const [kind, remove] of Object.entries(removals) as [RetentionKind, Remove][]) {
      const days = retention[kind]
      if (days === 0) continue
      const before = new Date(services.clock.now().getTime() - days * 86_400_000)
      total += await change(asService(services, workspace.id), async (tx) => {
        const count = await remove(tx, workspace.id, before, most)
        const entry = {
          event: 'retention_applied',
          entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
          details: { kind, removed: count, before: before.toISOString() },
        } as const
        return { value: count, audit: count > 0 ? entry : [] }
      })
    }
  return total
}
