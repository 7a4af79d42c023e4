import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { readinessOf } from './readiness.ts'
import { selectOpened } from './store.ts'

/** A story with its runs, its decisions, and what it still lacks. */
export async function openStory(ctx: Context, key: string): Promise<StoryPage> {
  const found = await selectOpened(ctx.db, ctx.workspaceId, key)
  if (!found) throw notFound('story', key)
  const story = fromJson(found.json)
  return { ...story, missing: readinessOf(story).missing }
}
