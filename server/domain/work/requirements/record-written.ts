import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { lockStory } from '../stories/lock.ts'
import { markStory } from '../stories/mark.ts'
import { closeSettled } from './store.ts'

interface Written {
  id: string
  key: string
  title: string
  team: { id: string; slug: string }
  requirement: { id: string; slug: string } | null
}

/**
 * Notes that an approved story was written: as the issue that it mirrors from then on or, without a tracker, as a story
 * that is kept here. It becomes Ready, unless it has left Backlog since: then someone has moved it on purpose, or
 * it is being worked on.
 */
export async function recordWritten(
  ctx: Context,
  tx: Tx,
  { id, key, title, team, requirement }: Written,
  issue: StoryListed['tracker'],
): Promise<Entry> {
  const at = ctx.clock.now()
  const { column, approvedAt } = await lockStory(ctx, tx, key)
  // What a person created in Backlog stays there; a draft was approved to be worked on.
  const leavesBacklog = column === 'backlog' && approvedAt !== null
  await markStory(ctx, tx, id, {
    writtenAt: at,
    ...(issue ? { tracker: issue } : {}),
    ...(leavesBacklog ? { column: 'ready' } : {}),
  })
  if (leavesBacklog) await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: team.id })
  if (requirement) await closeSettled(tx, ctx.workspaceId, requirement.id, at)
  return {
    event: 'story_written',
    team: team.slug,
    entity: { type: 'story', id: key, name: title },
    details: {
      requirement: requirement?.slug ?? null,
      trackerKey: issue?.key ?? null,
      ...(issue ? { url: issue.url } : {}),
      changes: leavesBacklog ? [{ field: 'column', before: column, after: 'ready' }] : [],
    },
  }
}
