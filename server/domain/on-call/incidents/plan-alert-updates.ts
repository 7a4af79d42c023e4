import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { listUpdatableAlerts } from '../alerts/updatable-alerts.ts'

/**
 * Acknowledges or resolves the incident's alerts in the tools they came from, where the service allows it and the
 * source has credentials. Never otherwise.
 */
export async function planAlertUpdates(
  ctx: Context,
  tx: Tx,
  incident: { id: string },
  what: 'acknowledge' | 'resolve',
): Promise<void> {
  for (const alert of await listUpdatableAlerts(ctx, tx, incident.id)) {
    await addEffect(ctx, tx, {
      kind: 'update_alert',
      key: `update_alert/${incident.id}/${what}/${alert.id}`,
      data: { incident: incident.id, alert: alert.id, what },
    })
  }
}
