import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { selectUpdatable, selectUpdatableAlert, type UpdatableAlert } from './store.ts'

export type { UpdatableAlert } from './store.ts'

/** Alerts of an incident that may be acknowledged and resolved where they came from. */
export const listUpdatableAlerts = (
  ctx: Context,
  tx: Tx,
  incidentId: string,
): Promise<readonly { id: string }[]> => selectUpdatable(tx, ctx.workspaceId, incidentId)

/** Asked again before every call: what was wished may have been forbidden since, or be about an occurrence that is over. */
export const findUpdatableAlert = (
  ctx: Context,
  incidentId: string,
  alertId: string,
): Promise<UpdatableAlert | undefined> => selectUpdatableAlert(ctx.db, ctx.workspaceId, incidentId, alertId)
