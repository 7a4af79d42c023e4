import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { dropRefusals } from './clear-refusal.ts'
import { endConnection, selectConnectionForUpdate, selectConnections } from './store.ts'

/** Ends a connection and erases everything secret of it. One that a team uses stays until the team uses another. */
export async function disconnect(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'disconnect a tool')
  await change(ctx, async (tx) => {
    const found = await selectConnectionForUpdate(tx, ctx.workspaceId, id)
    const [row] = await selectConnections(tx, ctx.workspaceId, ctx.clock.now(), { id })
    if (!found || !row) throw notFound('connection', id)
    await refuseManaged(ctx, tx, 'connections', id)
    if (row.teams.length > 0)
      throw new DomainError(
        'conflict',
        `${row.teams.length === 1 ? 'A team uses' : 'Teams use'} this connection: ${row.teams.join(', ')}. Choose another tracker and repository in the team’s settings first.`,
      )
    await dropRefusals(ctx, tx, { connectionId: id })
    await endConnection(tx, ctx.workspaceId, id, ctx.clock.now())
    return {
      value: undefined,
      audit: [
        {
          event: 'connection_changed',
          entity: { type: 'connection', id, name: found.name },
          details: { change: 'disconnected' },
        },
        ...(await forgetMark(ctx, tx, 'connections', id)),
      ],
    }
  })
}
