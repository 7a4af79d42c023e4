import type { Notification } from '@signalbox/contract/app/notifications.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { selectNotifications } from './store.ts'

/** What a person was told in the app, newest first. */
export async function listNotifications(
  ctx: Context,
  personId: string,
  page: PageRequest,
): Promise<Page<Notification>> {
  return pageFrom(await selectNotifications(ctx.db, ctx.workspaceId, personId, sliceFor(page)), page)
}
