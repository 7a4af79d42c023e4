import type { MessageRow } from '@signalbox/contract/app/webhooks.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { requireRole } from '../../roles.ts'
import { selectMessages } from './store.ts'

/** What an endpoint was sent, and what it is to be sent, newest first. */
export async function listMessages(
  ctx: Context,
  endpointId: string,
  filter: { state?: MessageRow['state'] },
  page: PageRequest,
): Promise<Page<MessageRow>> {
  requireRole(ctx, 'admin', 'see what was sent to a webhook endpoint')
  return pageFrom(
    await selectMessages(ctx.db, ctx.workspaceId, { endpointId, ...filter }, sliceFor(page)),
    page,
  )
}
