import type { RequirementRow } from '@signalbox/contract/app/requirements.ts'
import type { Requirement } from '@signalbox/contract/requirement.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { selectRequirementRows } from './store.ts'

/** Requirements with how far each has come, newest first: of one team, or of all. */
export async function listRequirementRows(
  ctx: Context,
  filter: { team?: string; status?: Requirement['status'] },
  page: PageRequest,
): Promise<Page<RequirementRow>> {
  const rows = await selectRequirementRows(ctx.db, ctx.workspaceId, filter, sliceFor(page))
  if (rows.length === 0 && filter.team !== undefined) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
