import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { advance } from './advance.ts'
import { holdRun } from './hold.ts'
import { selectOpenRunOf } from './run-store.ts'

/**
 * Lets go of a story that left the work in hand: closed, deleted or moved away in the tracker. Its run ends and what
 * the run asked is taken back. Does nothing when nobody works on it.
 */
export async function releaseStory(ctx: Context, storyKey: string): Promise<void> {
  const open = await selectOpenRunOf(ctx.db, ctx.workspaceId, storyKey)
  if (!open) return
  await change(ctx, async (tx) => {
    const run = await holdRun(tx, ctx.workspaceId, { id: open.id })
    const advanced = await advance(ctx, tx, run, { type: 'story_left' })
    return { value: undefined, audit: advanced?.entries ?? [] }
  })
}
