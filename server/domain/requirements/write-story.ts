import type { Context } from '../context.ts'
import type { Performer } from '../outbox/perform.ts'
import type { Tracker } from '../ports/tracker.ts'
import { recordWritten } from './record-written.ts'
import { holdRequirement, selectWriting, type Writing } from './store.ts'

/** Makes the issue for an approved story. Where the tracker has gone since it was asked for, the story is kept here. */
export const writeStory =
  (tracker: Tracker | null): Performer<'write_story'> =>
  async (ctx: Context, effect) => {
    const { storyId } = effect.data
    const story = await selectWriting(ctx.db, ctx.workspaceId, storyId)
    // It was written another way, or its team is gone: nothing is left to do.
    if (!story || story.isWritten) return { settle: async () => [] }
    const { team, title, requirement } = story
    const issue = await tracker?.createIssue({ key: effect.key, team: team.slug, title, body: bodyOf(story) })
    return {
      // The requirement before its stories: whoever holds both takes them in this order.
      hold: async (tx) => requirement && holdRequirement(tx, ctx.workspaceId, requirement.id),
      settle: async (tx) => [await recordWritten(ctx, tx, { ...story, id: storyId }, issue ?? null)],
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
