import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { addEffect } from '../outbox/add.ts'
import { requireRole } from '../roles.ts'
import { lockRequirement } from './lock.ts'
import { selectUnwritten } from './store.ts'

/** Has the approved stories of a requirement written to the tracker. Returns their keys; the issues follow. */
export async function writeDrafts(ctx: Context, slug: string): Promise<string[]> {
  requireRole(ctx, 'member', 'write stories to the tracker')
  return change(ctx, async (tx) => {
    const requirement = await lockRequirement(ctx, tx, slug)
    const stories = await selectUnwritten(tx, ctx.workspaceId, requirement.id)
    if (stories.length === 0) {
      throw new DomainError(
        'conflict',
        `Requirement \`${slug}\` has no approved drafts to write. Approve a draft first.`,
      )
    }
    const asked: (typeof stories)[number][] = []
    for (const story of stories) {
      const { id } = story
      const effect = { kind: 'write_story', key: `write_story/${id}`, data: { storyId: id } } as const
      if (await addEffect(ctx, tx, effect)) asked.push(story)
    }
    return {
      value: stories.map(({ key }) => key),
      audit: asked.map(({ key, title }) => ({
        event: 'story_changed',
        team: requirement.team.slug,
        entity: { type: 'story', id: key, name: title },
        details: { change: 'write_ordered', requirement: slug },
      })),
    }
  })
}
