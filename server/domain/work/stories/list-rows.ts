import type { Obstacle, StoryRow } from '@signalbox/contract/app/stories.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { type StoryRowFilter, selectStoryRows } from './store.ts'

/** A team's stories as they lie on the board, newest first. */
export async function listStoryRows(
  ctx: Context,
  filter: StoryRowFilter,
  page: PageRequest,
  obstacles: Obstacle[] = [],
): Promise<Page<StoryRow>> {
  const rows = await selectStoryRows(ctx.db, ctx.workspaceId, filter, page, obstacles)
  if (rows.length === 0) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
