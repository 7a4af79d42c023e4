import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { change } from '../audit/change.ts'
import { entryOf } from './mark.ts'
import { selectWorkspaceNamed, updateUnlocked } from './store.ts'

/** Lets the app change what a file manages, until the file is applied again. */
export async function unlockManaged(ctx: Context, kind: ResourceKind, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'unlock what a file manages')
  const workspace = await selectWorkspaceNamed(ctx.db, ctx.workspaceId)
  await change(ctx, async (tx) => {
    const name = await updateUnlocked(tx, ctx.workspaceId, kind, id, ctx.clock.now())
    if (name === undefined) throw new DomainError('conflict', 'This is not locked by a file.')
    return { value: undefined, audit: entryOf(workspace, { before: [{ kind, name, id }], after: null }) }
  })
}
