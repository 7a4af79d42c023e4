import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { takeBlocked, updateBlockers, updateBlockersUnread } from './store.ts'

/**
 * Notes which open issues block a story. With none left it can be started, and its team looks immediately. Returns what
 * has changed; nothing if they are the same.
 */
export async function blockStory(
  ctx: Context,
  tx: Tx,
  { id, teamId }: { id: string; teamId: string },
  keys: readonly string[],
): Promise<{ field: string; before: string; after: string }[]> {
  const sorted = [...new Set(keys)].sort()
  const before = await updateBlockers(tx, ctx.workspaceId, id, sorted, ctx.clock.now())
  if (!before) return []
  if (sorted.length === 0)
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: teamId })
  const names = { before: before.join(', '), after: sorted.join(', ') }
  return names.before === names.after ? [] : [{ field: 'blockedBy', ...names }]
}

/** What blocks these is not known: they wait until it is read. */
export const waitForBlockers = (ctx: Context, tx: Tx, ids: readonly string[]): Promise<void> =>
  updateBlockersUnread(tx, ctx.workspaceId, ids)

const most = 50

/** The next of a team that something blocks, in turns: whether it still does is checked now and then. */
export const blockedStories = ({ db, workspaceId, clock }: Context, teamId: string): Promise<string[]> =>
  housekeeping(db, 'note what is asked about in the tracker', (tx) =>
    takeBlocked(tx, workspaceId, teamId, clock.now(), most),
  )
