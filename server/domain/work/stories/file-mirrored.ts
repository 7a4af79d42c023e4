import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { checkedStory } from './checked.ts'
import { numbered } from './criteria.ts'
import { readinessOf } from './readiness.ts'
import { insertMirroredStories, takeStoryNumbers } from './store.ts'

export interface FromTracker extends ProposedStory {
  column: StoryListed['column']['role']
  tracker: NonNullable<StoryListed['tracker']>
}

/** Gives stories that come from a tracker their keys, in order: a first import brings thousands. */
export async function fileMirrored(
  ctx: Context,
  tx: Tx,
  team: { id: string; keyPrefix: string },
  proposed: FromTracker[],
): Promise<{ id: string; key: string }[]> {
  const at = ctx.clock.now()
  const last = await takeStoryNumbers(tx, ctx.workspaceId, team.id, proposed.length)
  const stories = proposed.map(({ column, tracker, ...given }, index) => {
    const story = checkedStory(given)
    const acceptanceCriteria = numbered(story.acceptanceCriteria)
    const key = `${team.keyPrefix}-${last - proposed.length + 1 + index}`
    const readinessScore = readinessOf({ ...story, acceptanceCriteria }).score
    return { ...story, id: newId(at), key, column, tracker, acceptanceCriteria, readinessScore }
  })
  await insertMirroredStories(tx, ctx.workspaceId, team.id, stories, at)
  return stories.map(({ id, key }) => ({ id, key }))
}
