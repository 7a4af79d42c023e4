import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { addEffect, isWanted } from '../../record/outbox/add.ts'
import { selectIsMirrored } from './store.ts'

/**
 * Has the linked issue, if any, updated to what the story says now. A write that is already waiting covers this: it
 * reads the story when it runs.
 */
export async function followIssue(ctx: Context, tx: Tx, storyId: string): Promise<void> {
  if (!(await selectIsMirrored(tx, ctx.workspaceId, storyId))) return
  const prefix = `write_issue/${storyId}/`
  if (await isWanted(ctx, tx, prefix)) return
  await addEffect(ctx, tx, {
    kind: 'write_issue',
    key: `${prefix}${newId(ctx.clock.now())}`,
    data: { storyId },
  })
}
