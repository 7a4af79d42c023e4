import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { readinessOf } from './readiness.ts'
import { selectStoryPage } from './store.ts'

/** A story with its runs, its decisions, and what it still lacks. */
export async function readStoryPage(ctx: Context, key: string): Promise<StoryPage> {
  const found = await selectStoryPage(ctx.db, ctx.workspaceId, key)
  if (!found) throw notFound('story', key)
  const story = fromJson(found.json)
  return { ...story, missing: readinessOf(story).missing }
}
