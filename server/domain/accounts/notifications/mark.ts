import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { markRead, markShown } from './store.ts'

/** Notes that a page has shown them: only then has the person been told in the app. */
export const noteShown = (ctx: Context, personId: string, ids: string[]): Promise<void> =>
  housekeeping(ctx.db, 'what a page has shown', (tx) =>
    markShown(tx, ctx.workspaceId, personId, ids, ctx.clock.now()),
  )

/** Marks one as read, or all of a person's. */
export const noteRead = (ctx: Context, personId: string, id: string | null): Promise<void> =>
  housekeeping(ctx.db, 'what someone has read', (tx) =>
    markRead(tx, ctx.workspaceId, personId, id, ctx.clock.now()),
  )
