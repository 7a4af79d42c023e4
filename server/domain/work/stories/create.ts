import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { change } from '../../record/audit/change.ts'
import { once } from '../../record/idempotency/once.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { requireRole } from '../../roles.ts'
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
  /** The same key, sent again within a day, makes one story. */
  idempotencyKey?: string,
): Promise<{ key: string }> {
  requireRole(ctx, 'member', 'create a story')
  const request = JSON.stringify(['create story', slug, given])
  const created = await change(ctx, (tx) =>
    once(ctx, tx, { key: idempotencyKey, request }, async () => {
      const team = await lockTeam(tx, ctx.workspaceId, slug)
      const story = { ...nothing, ...given }
      const { id, key } = await fileStory(ctx, tx, team, story, { column: 'backlog', draft: false })
      if (await selectHasTracker(tx, ctx.workspaceId, team.id))
        await addEffect(ctx, tx, { kind: 'write_story', key: `write_story/${id}`, data: { storyId: id } })
      return {
        value: JSON.stringify({ key }) as Json<{ key: string }>,
        audit: [
          {
            event: 'story_changed',
            team: slug,
            entity: { type: 'story', id: key, name: story.title },
            details: { change: 'created' },
          },
        ],
      }
    }),
  )
  return fromJson(created)
}
