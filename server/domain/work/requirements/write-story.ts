import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { SingleTracker } from '../../ports/single-tracker.ts'
import type { DueEffect } from '../../record/outbox/effect.ts'
import type { Performed } from '../../record/outbox/perform.ts'
import { recordWritten } from './record-written.ts'
import { lockRequirementById, selectWriting, type Writing } from './store.ts'

type Kept =
  | { performed: Performed }
  | {
      story: Writing
      /** Locks the requirement before its stories, the order used everywhere. */
      lock: (tx: Tx) => Promise<unknown>
      /** Makes the issue in the one tracker that there is; without one the story is kept here. */
      withoutProject: () => Promise<Performed>
    }

/** An approved story that is to be written, unless it was written another way or its team is gone. */
export async function keepStory(
  ctx: Context,
  effect: DueEffect<'write_story'>,
  tracker: SingleTracker | null,
): Promise<Kept> {
  const { storyId } = effect.data
  const story = await selectWriting(ctx.db, ctx.workspaceId, storyId)
  if (!story || story.isWritten) return { performed: { settle: async () => [] } }
  const { team, title, requirement } = story
  const lock = async (tx: Tx) => requirement && lockRequirementById(tx, ctx.workspaceId, requirement.id)
  return {
    story,
    lock,
    withoutProject: async () => {
      const issue = await tracker?.createIssue({
        key: effect.key,
        team: team.slug,
        title,
        body: bodyOf(story),
      })
      return {
        lock,
        settle: async (tx) => [await recordWritten(ctx, tx, { ...story, id: storyId }, issue ?? null)],
      }
    },
  }
}

function bodyOf({ description, acceptanceCriteria, demonstrate, testPlan }: Writing): string {
  const parts = [description]
  if (acceptanceCriteria.length > 0)
    parts.push(
      `## Acceptance criteria\n\n${acceptanceCriteria.map(({ text }) => `- [ ] ${text}`).join('\n')}`,
    )
  if (demonstrate !== null) parts.push(`## Demonstrate\n\n${demonstrate}`)
  if (testPlan !== null) parts.push(`## Test plan\n\n${testPlan}`)
  return parts.filter(Boolean).join('\n\n')
}
