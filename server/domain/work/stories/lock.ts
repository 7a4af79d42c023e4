import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { type LockedStory, selectStoryForUpdate } from './store.ts'

export type { LockedStory } from './store.ts'

/** The same by its id; undefined: it was rejected. */
export const lockStoryById = (ctx: Context, tx: Tx, id: string): Promise<LockedStory | undefined> =>
  selectStoryForUpdate(tx, ctx.workspaceId, { id })

/** The story, held for the length of the transaction, so that two changes of it come one after the other. */
export async function lockStory(ctx: Context, tx: Tx, key: string): Promise<LockedStory> {
  const story = await selectStoryForUpdate(tx, ctx.workspaceId, { key })
  if (!story) throw notFound('story', key)
  return story
}
