import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { fromJson, type Json, withFields } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { listAlertsOf } from '../alerts/list-rows.ts'
import { listIncidentNotifications } from '../incident-notifications/list.ts'
import { selectIncidentPage } from './store.ts'

const mostAlerts = 100

/** An incident with everything around it: its alerts, who was told, what was found, asked, filed and started. */
export async function readIncidentDetails(ctx: Context, key: string): Promise<Json<IncidentPage>> {
  const [incident, alerts, notifications] = await Promise.all([
    selectIncidentPage(ctx.db, ctx.workspaceId, key),
    listAlertsOf(ctx, key, mostAlerts),
    listIncidentNotifications(ctx, key),
  ])
  if (!incident) throw notFound('incident', key)
  return withFields(incident.json, { alertList: alerts.map(fromJson), tellings: [...notifications] })
}
