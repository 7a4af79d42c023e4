import type { Obstacle, StoryPage } from '@signalbox/contract/app/stories.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { readinessOf } from './readiness.ts'
import { selectStoryPage } from './store.ts'

/** A story with its runs, its decisions, what it still lacks, and what keeps it from being started. */
export async function readStoryPage(
  ctx: Context,
  key: string,
  obstacles: Obstacle[] = [],
): Promise<Omit<StoryPage, 'mirror'>> {
  const found = await selectStoryPage(ctx.db, ctx.workspaceId, key, obstacles)
  if (!found) throw notFound('story', key)
  const story = fromJson(found.json)
  return { ...story, missing: readinessOf(story).missing }
}
