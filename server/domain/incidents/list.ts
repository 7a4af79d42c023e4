import type { AlertRow } from '@signalbox/contract/app/incidents.ts'
import type { AlertRecord, IncidentListed } from '@signalbox/contract/incident.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { selectAlertRows, selectAlertsOf, selectIncidents } from './store.ts'

/** Incidents, newest first. */
export async function listIncidents(
  ctx: Context,
  filter: { status?: 'open' | 'resolved'; service?: string; severity?: Severity },
  page: PageRequest,
): Promise<Page<IncidentListed>> {
  return pageFrom(await selectIncidents(ctx.db, ctx.workspaceId, filter, page), page)
}

/** What a source has told of, newest first, with the reason why an alert opened no incident. */
export async function listAlerts(
  ctx: Context,
  source: string,
  page: PageRequest,
): Promise<Page<AlertRecord>> {
  return pageFrom(await selectAlertsOf(ctx.db, ctx.workspaceId, source, page), page)
}

/** What a source has told of, or what belongs to a service, newest first, with where it came from and what became of it. */
export async function listAlertRows(
  ctx: Context,
  filter: { source?: string; service?: string },
  page: PageRequest,
): Promise<Page<AlertRow>> {
  return pageFrom(await selectAlertRows(ctx.db, ctx.workspaceId, filter, page), page)
}
