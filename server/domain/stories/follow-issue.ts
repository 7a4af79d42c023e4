import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Context } from '../context.ts'
import { addEffect, isWanted } from '../outbox/add.ts'
import { selectIsMirrored } from './store.ts'

/**
 * Has written over there what the story says now, if it mirrors an issue. What waits to be written already says it too:
 * whoever writes looks at the story first.
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
