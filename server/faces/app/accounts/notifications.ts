import type { reads, writes } from '@signalbox/contract/app/notifications.ts'
import { listNotifications } from '../../../domain/accounts/notifications/list.ts'
import { noteRead, noteShown } from '../../../domain/accounts/notifications/mark.ts'
import { readUnread } from '../../../domain/accounts/notifications/read-unread.ts'
import { type Handlers, paged } from '../operation.ts'

/** Only a person's own notifications are seen or marked. */
export const notificationsHandlers: Handlers<typeof reads & typeof writes> = {
  'notifications.list': (ctx, input, tools) =>
    paged(ctx, tools, `notifications.list ${ctx.actor.userId}`, input, (page) =>
      listNotifications(ctx, ctx.actor.userId, page),
    ),
  'notifications.unread': (ctx) => readUnread(ctx, ctx.actor.userId),
  'notifications.shown': async (ctx, { ids }) => {
    await noteShown(ctx, ctx.actor.userId, ids)
    return null
  },
  'notifications.read': async (ctx, { id }) => {
    await noteRead(ctx, ctx.actor.userId, id)
    return null
  },
  'notifications.readAll': async (ctx) => {
    await noteRead(ctx, ctx.actor.userId, null)
    return null
  },
}
