import type { Db, Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { selectBlocked, updateBlockers } from './store.ts'

/**
 * Notes which open issues block a story; with none left it can be started, and its team looks at once. Returns what has
 * changed; nothing: they are the same.
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
  return [{ field: 'blockedBy', before: before.join(', '), after: sorted.join(', ') }]
}

const most = 50

/** Those of a team that something blocks: what became of that is looked at now and then. */
export const blockedStories = (db: Db, workspaceId: string, teamId: string): Promise<string[]> =>
  selectBlocked(db, workspaceId, teamId, most)
