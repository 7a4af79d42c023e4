import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { expediteMerges } from '../../record/outbox/expedite-merges.ts'
import { updateMainRed } from './store.ts'

/** Notes whether the team's main branch is red. Once it is green, merges that were held continue immediately. */
export async function setMainRed(ctx: Context, tx: Tx, teamId: string, isRed: boolean): Promise<void> {
  await updateMainRed(tx, ctx.workspaceId, teamId, isRed ? ctx.clock.now() : null)
  if (!isRed) await expediteMerges(ctx, tx, teamId)
}
