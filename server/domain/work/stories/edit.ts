import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedStory } from './checked.ts'
import { numbered } from './criteria.ts'
import { followIssue } from './follow-issue.ts'
import { lockStory } from './lock.ts'
import { type Readiness, readinessOf } from './readiness.ts'
import { type LockedStory, selectIsMirrored, updateStory } from './store.ts'

/** What can be edited. Criteria are given as texts: one whose text is unchanged keeps its id and its result. */
export type StoryEdit = Partial<ProposedStory>

/**
 * Changes a story or a draft, and returns its new readiness. With `readAt`, the edit is refused if the story has
 * changed since it was read.
 */
export async function editStory(
  ctx: Context,
  key: string,
  edit: StoryEdit,
  { readAt }: { readAt?: string } = {},
): Promise<Readiness> {
  requireRole(ctx, 'member', 'edit a story')
  const checked = checkedStory(edit)
  return change(ctx, async (tx) => {
    const before = await lockStory(ctx, tx, key)
    if (readAt !== undefined && before.updatedAt.getTime() !== Date.parse(readAt)) {
      throw new DomainError(
        'changed_meanwhile',
        `Story \`${key}\` was changed after you read it. Read it again and repeat your edit.`,
      )
    }
    const { acceptanceCriteria: texts, ...rest } = checked
    const fields = {
      ...rest,
      ...(texts ? { acceptanceCriteria: numbered(texts, before.acceptanceCriteria) } : {}),
    }
    const changed = differences(before, fields)
    if (changed.length === 0)
      throw new DomainError('conflict', `Nothing to change: story \`${key}\` already says that.`)
    const isMirrored = await selectIsMirrored(tx, ctx.workspaceId, before.id)
    if (!isMirrored) refuseTrackers(before, changed)
    const after = { ...before, ...fields }
    const readiness = readinessOf(after)
    await updateStory(
      tx,
      ctx.workspaceId,
      before.id,
      { ...fields, readinessScore: readiness.score },
      ctx.clock.now(),
    )
    if (isMirrored) await followIssue(ctx, tx, before.id)
    return {
      value: readiness,
      audit: {
        event: 'story_changed',
        team: before.team,
        entity: { type: before.draft ? 'draft' : 'story', id: key, name: after.title },
        details: {
          change: 'edited',
          changes: differences(before, { ...fields, readinessScore: readiness.score }),
        },
      },
    }
  })
}

/**
 * For an issue that can no longer be written to. Edits of a connected issue are written there, and a conflict is shown.
 */
function refuseTrackers({ key, tracker }: LockedStory, changed: { field: string }[]): void {
  const refused = changed
    .map(({ field }) => field)
    .filter((field) => ['title', 'description'].includes(field))
  if (!tracker || refused.length === 0) return
  throw new DomainError(
    'conflict',
    `Story \`${key}\` mirrors ${tracker.key} (${tracker.url}), which is the source of its ${refused.join(' and ')}. Change it there.`,
  )
}

function differences(before: LockedStory, fields: Partial<LockedStory>) {
  return Object.entries(fields)
    .map(([field, after]) => ({ field, before: before[field as keyof LockedStory], after }))
    .filter((entry) => !isDeepStrictEqual(entry.before, entry.after))
}
