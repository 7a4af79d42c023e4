import type { AlertRow } from '@signalbox/contract/app/incidents.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { selectAlertRows, selectAlertsOfIncident } from './store.ts'

/** The alerts of a source or a service, newest first, with where each came from and its outcome. */
export async function listAlertRows(
  ctx: Context,
  filter: { source?: string; service?: string },
  page: PageRequest,
): Promise<Page<AlertRow>> {
  return pageFrom(await selectAlertRows(ctx.db, ctx.workspaceId, filter, sliceFor(page)), page)
}

/** The alerts of an incident that were received last. */
export async function listAlertsOf(ctx: Context, incident: string, most: number) {
  const rows = await selectAlertsOfIncident(ctx.db, ctx.workspaceId, incident, most)
  return rows.map(({ json }) => json)
}
