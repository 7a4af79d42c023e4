import type { NotificationKind } from '@signalbox/contract/notifications.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { markReadByAll } from './store.ts'

/** What was answered waits for no one any more: it counts as read for all who were told about it. */
export const settleNotifications = (
  ctx: Context,
  tx: Tx,
  about: { kind: NotificationKind; thing: string },
): Promise<void> => markReadByAll(tx, ctx.workspaceId, about, ctx.clock.now())
