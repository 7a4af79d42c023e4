import type { Unread } from '@signalbox/contract/app/notifications.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { selectUnread } from './store.ts'

/** How many a person has not read, and the newest of them. */
export const readUnread = (ctx: Context, personId: string): Promise<Json<Unread>> =>
  selectUnread(ctx.db, ctx.workspaceId, personId)
