import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockStory } from '../stories/lock.ts'
import { markStory } from '../stories/mark.ts'
import { readinessOf } from '../stories/readiness.ts'
import { requireDraft } from './require-draft.ts'

/** Makes a draft a story, in Backlog. Only what is ready can be approved. */
export async function approveDraft(ctx: Context, key: string): Promise<void> {
  requireRole(ctx, 'member', 'approve a draft')
  await change(ctx, async (tx) => {
    const draft = await lockStory(ctx, tx, key)
    requireDraft(draft)
    const { score, missing } = readinessOf(draft)
    if (score < 100) {
      throw new DomainError(
        'conflict',
        `Draft \`${key}\` has a readiness score of ${score}; 100 is needed. Missing: ${missing.join('; ')}.`,
      )
    }
    await markStory(ctx, tx, draft.id, { draft: false, approvedAt: ctx.clock.now(), column: 'backlog' })
    return {
      value: undefined,
      audit: {
        event: 'story_changed',
        team: draft.team,
        entity: { type: 'draft', id: key, name: draft.title },
        details: {
          change: 'approved',
          changes: [
            { field: 'draft', before: true, after: false },
            ...(draft.column === 'backlog'
              ? []
              : [{ field: 'column', before: draft.column, after: 'backlog' }]),
          ],
        },
      },
    }
  })
}
