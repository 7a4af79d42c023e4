import type { Context } from '../context.ts'
import type { Performer } from '../outbox/perform.ts'
import type { Tracker } from '../ports/tracker.ts'
import { lockStory } from '../stories/lock.ts'
import { markStory } from '../stories/mark.ts'
import { closeSettled, selectWriting, type Writing } from './store.ts'

/**
 * Makes the issue for an approved story. The story mirrors it from then on, and is Ready to be taken: unless it has
 * left Backlog meanwhile, because then somebody has said where it belongs, or it is being worked on.
 */
export const writeStory =
  (tracker: Tracker): Performer<'write_story'> =>
  async (ctx: Context, effect) => {
    const { storyId } = effect.data
    const story = await selectWriting(ctx.db, ctx.workspaceId, storyId)
    // It has come into the tracker by another way, or its team is gone: nothing is left to do.
    if (!story || story.trackerKey) return { settle: async () => [] }
    const issue = await tracker.createIssue({
      key: effect.key,
      team: story.team.slug,
      title: story.title,
      body: bodyOf(story),
    })
    return {
      async settle(tx) {
        const { column } = await lockStory(tx, ctx, story.key)
        const leavesBacklog = column === 'backlog'
        await markStory(tx, ctx, storyId, { tracker: issue, ...(leavesBacklog ? { column: 'ready' } : {}) })
        if (leavesBacklog)
          await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: story.team.id })
        if (story.requirement) await closeSettled(tx, ctx.workspaceId, story.requirement.id, ctx.clock.now())
        return [
          {
            event: 'story_written',
            team: story.team.slug,
            entity: { type: 'story', id: story.key, name: story.title },
            details: {
              requirement: story.requirement?.slug ?? null,
              trackerKey: issue.key,
              url: issue.url,
              changes: leavesBacklog ? [{ field: 'column', before: column, after: 'ready' }] : [],
            },
          },
        ]
      },
    }
  }

function bodyOf({ description, acceptanceCriteria, demonstrate }: Writing): string {
  const parts = [description]
  if (acceptanceCriteria.length > 0)
    parts.push(
      `## Acceptance criteria\n\n${acceptanceCriteria.map(({ text }) => `- [ ] ${text}`).join('\n')}`,
    )
  if (demonstrate !== null) parts.push(`## Demonstrate\n\n${demonstrate}`)
  return parts.filter(Boolean).join('\n\n')
}
