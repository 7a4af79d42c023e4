import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { SingleTracker } from '../../ports/single-tracker.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { requireRole } from '../../roles.ts'
import { lockRequirement } from './lock.ts'
import { recordWritten } from './record-written.ts'
import { selectIsBound, selectUnwritten } from './store.ts'

/**
 * Makes the approved stories of a requirement real, and returns their keys. With a tracker the issues follow; without
 * one the stories are kept here and are Ready immediately.
 */
export async function writeDrafts(
  ctx: Context,
  tracker: SingleTracker | null,
  slug: string,
): Promise<string[]> {
  requireRole(ctx, 'member', 'write approved stories')
  return change(ctx, async (tx) => {
    const requirement = await lockRequirement(ctx, tx, slug)
    const stories = await selectUnwritten(tx, ctx.workspaceId, requirement.id)
    if (stories.length === 0) {
      throw new DomainError(
        'conflict',
        `Requirement \`${slug}\` has no approved drafts to write. Approve a draft first.`,
      )
    }
    const keys = stories.map(({ key }) => key)
    if (!tracker && !(await selectIsBound(tx, ctx.workspaceId, requirement.team.slug))) {
      const audit: Entry[] = []
      for (const story of stories)
        audit.push(await recordWritten(ctx, tx, { ...story, team: requirement.team, requirement }, null))
      return { value: keys, audit }
    }
    const asked: (typeof stories)[number][] = []
    for (const story of stories) {
      const { id } = story
      const effect = { kind: 'write_story', key: `write_story/${id}`, data: { storyId: id } } as const
      if (await addEffect(ctx, tx, effect)) asked.push(story)
    }
    return {
      value: keys,
      audit: asked.map(({ key, title }) => ({
        event: 'story_changed',
        team: requirement.team.slug,
        entity: { type: 'story', id: key, name: title },
        details: { change: 'write_ordered', requirement: slug },
      })),
    }
  })
}
