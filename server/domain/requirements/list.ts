import type { Requirement } from '@signalbox/contract/requirement.ts'
import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { requireTeam } from '../teams/read.ts'
import { selectRequirements } from './store.ts'

/** A team's requirements, newest first. */
export async function listRequirements(
  ctx: Context,
  filter: { team: string },
  page: PageRequest,
): Promise<Page<Requirement>> {
  const rows = await selectRequirements(ctx.db, ctx.workspaceId, filter.team, page)
  if (rows.length === 0) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
