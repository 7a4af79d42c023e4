import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { lockStory } from '../stories/lock.ts'
import { markStory } from '../stories/mark.ts'
import { requireDraft } from './require-draft.ts'
import { closeSettled } from './store.ts'

/** Removes a draft. It can no longer be found, and its key is not reused. */
export async function rejectDraft(ctx: Context, key: string, note?: string): Promise<void> {
  requireRole(ctx, 'member', 'reject a draft')
  const said = note === undefined ? '' : checkedText('note', note, { least: 0, most: maxNoteLength })
  await change(ctx, async (tx) => {
    const draft = await lockStory(ctx, tx, key)
    requireDraft(draft)
    const at = ctx.clock.now()
    await markStory(ctx, tx, draft.id, { rejectedAt: at })
    if (draft.requirementId) await closeSettled(tx, ctx.workspaceId, draft.requirementId, at)
    return {
      value: undefined,
      audit: {
        event: 'story_changed',
        team: draft.team,
        entity: { type: 'draft', id: key, name: draft.title },
        details: {
          change: 'rejected',
          changes: [{ field: 'rejectedAt', before: null, after: at.toISOString() }],
          ...(said ? { note: said } : {}),
        },
      },
    }
  })
}
