import type { IncidentListed } from '@signalbox/contract/incident.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { selectIncidents } from './store.ts'

/** Incidents, newest first. */
export async function listIncidents(
  ctx: Context,
  filter: { status?: 'open' | 'resolved'; service?: string; severity?: Severity },
  page: PageRequest,
): Promise<Page<IncidentListed>> {
  return pageFrom(await selectIncidents(ctx.db, ctx.workspaceId, filter, sliceFor(page)), page)
}
