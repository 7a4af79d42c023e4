import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { checkedStory } from './checked.ts'
import { numbered } from './criteria.ts'
import { readinessOf } from './readiness.ts'
import { insertStory, takeStoryNumber } from './store.ts'

export interface Filing {
  column: StoryListed['column']['role']
  draft: boolean
  requirementId?: string
}

/** Gives a story its key and puts it into a column of the team, as part of the transaction that wants it. */
export async function fileStory(
  ctx: Context,
  tx: Tx,
  team: { id: string; keyPrefix: string },
  proposed: ProposedStory,
  filing: Filing,
): Promise<{ id: string; key: string }> {
  const at = ctx.clock.now()
  const story = checkedStory(proposed)
  const filed = {
    id: newId(at),
    key: `${team.keyPrefix}-${await takeStoryNumber(tx, ctx.workspaceId, team.id)}`,
  }
  await insertStory(tx, ctx.workspaceId, team.id, {
    ...filed,
    ...story,
    ...filing,
    filedBy: ctx.actor.type === 'human' ? ctx.actor.userId : null,
    acceptanceCriteria: numbered(story.acceptanceCriteria),
    readinessScore: readinessOf({
      ...story,
      acceptanceCriteria: story.acceptanceCriteria.map((text) => ({ text })),
    }).score,
    at,
  })
  return filed
}
