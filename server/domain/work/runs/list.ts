import type { RunListed } from '@signalbox/contract/run.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { selectRuns } from './store.ts'

export interface RunFilter {
  team?: string | undefined
  story?: string | undefined
}

/** Runs, newest first. */
export async function listRuns(ctx: Context, filter: RunFilter, page: PageRequest): Promise<Page<RunListed>> {
  const rows = await selectRuns(ctx.db, ctx.workspaceId, filter, sliceFor(page))
  if (rows.length === 0 && filter.team) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
