import type { Decision } from '@signalbox/contract/decision.ts'
import type { Context } from '../../context.ts'
import type { Page, PageRequest } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { type DecisionFilter, selectDecisions } from './store.ts'

/** Decisions, newest first. */
export async function listDecisions(
  ctx: Context,
  filter: DecisionFilter,
  page: PageRequest,
): Promise<Page<Decision>> {
  const found = await selectDecisions(ctx.db, ctx.workspaceId, filter, page)
  if (found.data.length === 0 && filter.team) await requireTeam(ctx, filter.team)
  return found
}
