import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { noSuchUser } from './read-users.ts'
import { removeFromWorkspace } from './remove-from-workspace.ts'
import { deleteUserRow, lockProvisioning, selectUsers } from './store.ts'

/** Takes a person out of the workspace and forgets what the provider said of them. The account stays. */
export async function deleteUser(ctx: Context, id: string): Promise<void> {
  const sequence = await change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    const [user] = await selectUsers(tx, ctx.workspaceId, { offset: 0, most: 1 }, { id })
    if (!user) throw noSuchUser(id)
    const audit: Entry[] = user.active ? await removeFromWorkspace(ctx, tx, user) : []
    await deleteUserRow(tx, ctx.workspaceId, id)
    audit.push({
      event: 'provisioning_changed',
      entity: { type: 'member', id, name: user.name },
      details: { change: 'user_deleted' },
    })
    return { value: await invalidate(tx), audit }
  })
  await confirmed(ctx.db, sequence)
}
