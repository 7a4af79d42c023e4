import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { selectStories } from './store.ts'

/** A team's stories, newest first; drafts only when asked for. */
export async function listStories(
  ctx: Context,
  filter: { team: string; drafts: boolean },
  page: PageRequest,
): Promise<Page<StoryListed>> {
  const rows = await selectStories(ctx.db, ctx.workspaceId, filter, page)
  if (rows.length === 0) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
