import type { IncidentNotification } from '@signalbox/contract/app/incidents.ts'
import type { Context } from '../../context.ts'
import { selectNotificationsOfIncident } from './store.ts'

/** Who was told about an incident, and where, oldest first. */
export const listIncidentNotifications = (
  ctx: Context,
  incidentKey: string,
): Promise<readonly IncidentNotification[]> =>
  selectNotificationsOfIncident(ctx.db, ctx.workspaceId, incidentKey)
