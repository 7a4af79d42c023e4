import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { lockRun } from '../machine/lock.ts'
import { selectOpenRunOf } from '../machine/run-store.ts'
import { advance } from './advance.ts'

/**
 * Lets go of a story that left the work in hand: closed, deleted or moved away in the tracker. Its run ends and what
 * the run asked is withdrawn. Does nothing when no one works on it.
 */
export async function stopRunsOfStory(ctx: Context, storyKey: string): Promise<void> {
  const open = await selectOpenRunOf(ctx.db, ctx.workspaceId, storyKey)
  if (!open) return
  await change(ctx, async (tx) => {
    const run = await lockRun(tx, ctx.workspaceId, { id: open.id })
    const advanced = await advance(ctx, tx, run, { type: 'story_left' })
    return { value: undefined, audit: advanced?.entries ?? [] }
  })
}
