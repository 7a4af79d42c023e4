import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { repositoriesOf } from '../repositories/of-team.ts'
import { lockStory } from './lock.ts'
import { selectStoryRepositories, updateStoryRepositories } from './store.ts'

/** Which of its team's repositories a story is about; null: all of them. */
export const storyRepositories = selectStoryRepositories

/** Says which of its team's repositories a story is about; null: all of them. A run that has begun keeps its own. */
export async function setStoryRepositories(
  ctx: Context,
  key: string,
  wanted: readonly string[] | null,
): Promise<void> {
  requireRole(ctx, 'member', 'edit a story')
  await change(ctx, async (tx) => {
    const story = await lockStory(ctx, tx, key)
    const all = (await repositoriesOf(ctx.db, ctx.workspaceId, story.team)).map(({ name }) => name)
    const strange = wanted?.find((name) => !all.includes(name))
    if (strange !== undefined)
      throw new DomainError(
        'invalid_request',
        `\`repositories\` must name repositories of the team: ${strange} is not one of them. They are ${all.join(', ') || 'not set yet'}.`,
      )
    if (wanted?.length === 0)
      throw new DomainError(
        'invalid_request',
        '`repositories` has to name at least one. Set it to null for all of them.',
      )
    const before = await selectStoryRepositories(tx, ctx.workspaceId, story.id)
    const after = wanted && all.filter((name) => wanted.includes(name))
    if (isDeepStrictEqual(before, after)) return { value: undefined, audit: [] }
    await updateStoryRepositories(tx, ctx.workspaceId, story.id, after, ctx.clock.now())
    return {
      value: undefined,
      audit: {
        event: 'story_changed',
        team: story.team,
        entity: { type: story.draft ? 'draft' : 'story', id: key, name: story.title },
        details: { change: 'edited', changes: [{ field: 'repositories', before, after }] },
      },
    }
  })
}
