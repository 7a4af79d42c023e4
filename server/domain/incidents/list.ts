import type { AlertRecord, IncidentListed } from '@signalbox/contract/incident.ts'
import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { selectAlertsOf, selectIncidents } from './store.ts'

/** Incidents, newest first. */
export async function listIncidents(
  ctx: Context,
  filter: { status?: 'open' | 'resolved'; service?: string },
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
