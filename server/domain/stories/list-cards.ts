import type { StoryCard } from '@signalbox/contract/app/stories.ts'
import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { requireTeam } from '../teams/read.ts'
import { type CardFilter, selectCards } from './store.ts'

/** A team's stories as they lie on the board, newest first. */
export async function listCards(
  ctx: Context,
  filter: CardFilter,
  page: PageRequest,
): Promise<Page<StoryCard>> {
  const rows = await selectCards(ctx.db, ctx.workspaceId, filter, page)
  if (rows.length === 0) await requireTeam(ctx, filter.team)
  return pageFrom(rows, page)
}
