import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { refuseUnlessActive } from './resend.ts'
import { makeFailedDueAgain } from './store.ts'

/** Sends again what has failed since then, each under its own id. Returns how many messages that are. */
export async function replayFailed(ctx: Context, id: string, since: Date): Promise<number> {
  requireRole(ctx, 'admin', 'replay messages')
  return change(ctx, async (tx) => {
    const { state, entity } = await lockEndpoint(ctx, tx, id)
    refuseUnlessActive(state)
    const count = await makeFailedDueAgain(tx, ctx.workspaceId, id, since, ctx.clock.now())
    return {
      value: count,
      audit: {
        event: 'webhook_endpoint_changed',
        entity,
        details: { change: 'replayed', since: since.toISOString(), count },
      },
    }
  })
}
