import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { editStory, type StoryEdit } from '../../work/stories/edit.ts'
import { lockStory } from '../../work/stories/lock.ts'
import { readStory } from '../../work/stories/read.ts'
import { selectMirrored, selectMirroredForUpdate, updateMirrored } from './store.ts'

/**
 * Says which side wins when a story and its issue were edited at the same time: ours is then written, theirs is there
 * already.
 */
export async function settleConflict(ctx: Context, key: string, keep: 'ours' | 'theirs'): Promise<void> {
  requireRole(ctx, 'member', 'edit a story')
  const seen = await selectMirrored(ctx.db, ctx.workspaceId, { key })
  if (!seen) await readStory(ctx, key)
  if (!seen || seen.conflicts.length === 0)
    throw new DomainError(
      'conflict',
      `Story \`${key}\` and its issue say the same: there is nothing to settle.`,
    )
  if (keep === 'ours') {
    const edit = Object.fromEntries(seen.conflicts.map(({ field, ours }) => [field, ours])) as StoryEdit
    await editStory(ctx, key, edit)
  }
  await change(ctx, async (tx) => {
    const story = await lockStory(ctx, tx, key)
    await selectMirroredForUpdate(tx, ctx.workspaceId, story.id)
    await updateMirrored(tx, ctx.workspaceId, story.id, {
      conflicts: [],
      ...(keep === 'theirs' ? { inStepSince: ctx.clock.now() } : {}),
    })
    return {
      value: undefined,
      audit: {
        event: 'story_changed',
        team: story.team,
        entity: { type: 'story', id: key, name: story.title },
        details: { change: 'conflict_settled', keep, fields: seen.conflicts.map(({ field }) => field) },
      },
    }
  })
}
