import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { type DecisionRowFilter, selectDecisionRows } from './store.ts'
import { viewerOf } from './viewer.ts'

/** Decisions as people work through them: pending ones by expiry, then age; all others newest first. */
export async function listDecisionRows(
  ctx: Context,
  filter: DecisionRowFilter,
  page: PageRequest,
): Promise<Page<DecisionRow>> {
  const found = pageFrom(await selectDecisionRows(ctx.db, ctx.workspaceId, viewerOf(ctx), filter, page), page)
  if (found.data.length === 0 && filter.team) await requireTeam(ctx, filter.team)
  return found
}
