import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { addEffect } from '../outbox/add.ts'
import type { ProposedStory } from '../proposed-story.ts'
import { requireRole } from '../roles.ts'
import { lockTeam } from '../teams/lock.ts'
import { fileStory } from './file.ts'
import { selectHasTracker } from './store.ts'

const nothing: Omit<ProposedStory, 'title'> = {
  description: '',
  acceptanceCriteria: [],
  demonstrate: null,
  size: null,
  complexity: null,
  classOfService: 'standard',
}

/** Adds a story to Backlog, by hand. Where the team's stories are issues of a tracker, its issue is created. */
export async function createStory(
  ctx: Context,
  slug: string,
  given: Pick<ProposedStory, 'title'> & Partial<ProposedStory>,
): Promise<{ key: string }> {
  requireRole(ctx, 'member', 'create a story')
  return change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    const story = { ...nothing, ...given }
    const { id, key } = await fileStory(ctx, tx, team, story, { column: 'backlog', draft: false })
    if (await selectHasTracker(tx, ctx.workspaceId, team.id))
      await addEffect(ctx, tx, { kind: 'write_story', key: `write_story/${id}`, data: { storyId: id } })
    return {
      value: { key },
      audit: {
        event: 'story_changed',
        team: slug,
        entity: { type: 'story', id: key, name: story.title },
        details: { change: 'created' },
      },
    }
  })
}
