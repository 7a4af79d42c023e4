import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { selectConnectionForUpdate, updateConnection } from './store.ts'

/** Changes what a connection is called. */
export async function changeConnection(ctx: Context, id: string, input: { name: string }): Promise<void> {
  requireRole(ctx, 'admin', 'change a connection')
  const name = checkedText('name', input.name, { least: 1, most: maxNameLength })
  await change(ctx, async (tx) => {
    const before = await selectConnectionForUpdate(tx, ctx.workspaceId, id)
    if (!before) throw notFound('connection', id)
    await refuseManaged(ctx, tx, 'connections', id)
    if (before.name === name) return { value: undefined, audit: [] }
    await updateConnection(tx, ctx.workspaceId, id, { name }, ctx.clock.now())
    return {
      value: undefined,
      audit: {
        event: 'connection_changed',
        entity: { type: 'connection', id, name },
        details: { change: 'changed', changes: [{ field: 'name', before: before.name, after: name }] },
      },
    }
  })
}
