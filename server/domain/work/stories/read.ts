import type { Json } from '@signalbox/contract/shapes.ts'
import type { Story } from '@signalbox/contract/story.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectStory } from './store.ts'

export async function readStory(ctx: Context, key: string): Promise<Json<Story>> {
  const story = await selectStory(ctx.db, ctx.workspaceId, key)
  if (!story) throw notFound('story', key)
  return story.json
}
