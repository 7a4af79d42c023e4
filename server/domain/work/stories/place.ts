import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockStory } from './lock.ts'
import { moveStory } from './move.ts'
import { readinessOf } from './readiness.ts'
import { type LockedStory, selectOpenRun, selectTeamIdOf } from './store.ts'

type Role = StoryListed['column']['role']

/** Puts a story into another column, by hand. What is in Ready is picked up by the team. */
export async function placeStory(ctx: Context, key: string, to: Role): Promise<{ from: Role; to: Role }> {
  requireRole(ctx, 'member', 'move a story')
  return change(ctx, async (tx) => {
    const { from, audit } = await placeStoryWithin(ctx, tx, key, to)
    return { value: { from, to }, audit }
  })
}

/** The same as part of a transaction. What is refused is refused before anything of it is written. */
export async function placeStoryWithin(
  ctx: Context,
  tx: Tx,
  key: string,
  to: Role,
): Promise<{ from: Role; audit: Entry<'story_changed'> }> {
  const story = await lockStory(ctx, tx, key)
  refuse(story, to)
  const run = await selectOpenRun(tx, ctx.workspaceId, story.id)
  if (run) throw conflict(`Run \`${run.key}\` is working on \`${key}\`. Stop it first or let it finish.`)
  await moveStory(ctx, tx, story.id, to)
  if (to === 'ready') {
    const id = await selectTeamIdOf(tx, ctx.workspaceId, story.id)
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id })
  }
  return {
    from: story.column,
    audit: {
      event: 'story_changed',
      team: story.team,
      entity: { type: 'story', id: key, name: story.title },
      details: { change: 'moved', changes: [{ field: 'column', before: story.column, after: to }] },
    },
  }
}

function refuse(story: LockedStory, to: Role): void {
  const { key } = story
  if (story.draft) throw conflict(`\`${key}\` is a draft. Approve it first. It then moves to Backlog.`)
  if (story.column === to) throw conflict(`Story \`${key}\` is already there.`)
  if (to !== 'ready') return
  const { score, missing } = readinessOf(story)
  if (score < 100) {
    throw conflict(
      `Ready takes stories with a readiness of 100; \`${key}\` has ${score}. Missing: ${missing.join('; ')}.`,
    )
  }
}

const conflict = (message: string) => new DomainError('conflict', message)
