import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { numbered } from './criteria.ts'
import { readinessOf } from './readiness.ts'
import { type LockedStory, selectTeamIdOf, updateStory } from './store.ts'

export interface IssueFields extends Partial<ProposedStory> {
  column?: StoryListed['column']['role']
  tracker?: NonNullable<StoryListed['tracker']>
  returnedNote?: string | null
}

/** Writes into a held story what its issue says, and returns before and after. The issue may say what a person may not. */
export async function applyIssue(ctx: Context, tx: Tx, before: LockedStory, said: IssueFields) {
  const { acceptanceCriteria: texts, ...rest } = said
  const fields = {
    ...rest,
    ...(texts ? { acceptanceCriteria: numbered(texts, before.acceptanceCriteria) } : {}),
  }
  const { score } = readinessOf({ ...before, ...fields })
  await updateStory(tx, ctx.workspaceId, before.id, { ...fields, readinessScore: score }, ctx.clock.now())
  if (said.column === 'ready' || (before.column === 'ready' && score === 100)) {
    const id = await selectTeamIdOf(tx, ctx.workspaceId, before.id)
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id })
  }
  return Object.entries({ ...rest, ...(texts ? { acceptanceCriteria: texts } : {}) })
    .filter(([field]) => field !== 'tracker' && field !== 'returnedNote')
    .map(([field, after]) => ({
      field,
      before:
        field === 'acceptanceCriteria'
          ? before.acceptanceCriteria.map(({ text }) => text)
          : before[field as keyof LockedStory],
      after,
    }))
}
