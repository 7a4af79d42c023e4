import type { InboxDecision } from '@signalbox/contract/app/decisions.ts'
import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { requireTeam } from '../teams/read.ts'
import { type InboxFilter, selectInbox } from './store.ts'

/** Decisions as people work through them: pending ones by expiry, then age; all others newest first. */
export async function listInbox(
  ctx: Context,
  filter: InboxFilter,
  page: PageRequest,
): Promise<Page<InboxDecision>> {
  const found = pageFrom(await selectInbox(ctx.db, ctx.workspaceId, filter, page), page)
  if (found.data.length === 0 && filter.team) await requireTeam(ctx, filter.team)
  return found
}
