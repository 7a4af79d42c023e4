import type { Tx } from '../../../infra/db/db.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import type { Context } from '../../context.ts'
import { type LockedRunner, selectTokenOwner } from './store.ts'

/** Tells owners and admins that a runner waits for approval. */
export async function notifyOfPendingRunner(ctx: Context, tx: Tx, { id, name }: LockedRunner): Promise<void> {
  const token = await selectTokenOwner(tx, ctx.workspaceId, { runnerId: id })
  await notify(ctx, tx, await membersAtLeast(tx, ctx.workspaceId, 'admin'), {
    kind: 'runner',
    thing: id,
    what: `pending since ${ctx.clock.now().toISOString()}`,
    title: `Runner ${name} is waiting for approval`,
    body: `It came with the token ${token.name} (${token.prefix}…) of ${token.owner} and gets no work until an owner or admin approves it.`,
  })
}
