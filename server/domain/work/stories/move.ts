import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { followIssue } from './follow-issue.ts'
import { selectStoryForUpdate, updateStory } from './store.ts'

type Role = StoryListed['column']['role']

export interface Moved extends Pick<StoryListed, 'key' | 'title' | 'team' | 'tracker'> {
  from: Role
  to: Role
}

/**
 * Puts a story into the team's column of that role, as part of the transaction that wants it. A note is what the person
 * said who sent it there; null takes the last one away.
 */
export async function moveStory(
  ctx: Context,
  tx: Tx,
  storyId: string,
  role: Role,
  { note }: { note?: string | null } = {},
): Promise<Moved> {
  const story = await selectStoryForUpdate(tx, ctx.workspaceId, { id: storyId })
  // The caller got the id by reading the story, so a missing story is our mistake.
  if (!story) throw new Error(`The story ${storyId} cannot be moved: it is not there.`)
  const changes = { column: role, ...(note === undefined ? {} : { returnedNote: note }) }
  await updateStory(tx, ctx.workspaceId, storyId, changes, ctx.clock.now())
  await followIssue(ctx, tx, storyId)
  const { key, title, team, tracker } = story
  return { key, title, team, from: story.column, to: role, tracker }
}
