import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { type StoryChanges, updateStory } from './store.ts'

type Marks = Pick<StoryChanges, 'draft' | 'approvedAt' | 'rejectedAt' | 'tracker' | 'writtenAt' | 'column'>

/** Notes on a story what happened to it. The caller holds it, and says so in its own entry. */
export async function markStory(ctx: Context, tx: Tx, id: string, marks: Marks): Promise<void> {
  await updateStory(tx, ctx.workspaceId, id, marks, ctx.clock.now())
}
