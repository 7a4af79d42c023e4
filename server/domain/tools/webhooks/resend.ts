import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { messageId } from './message.ts'
import { makeDueAgain } from './store.ts'

/** Sends a message once more, under the same id: its schedule begins from the start. */
export async function resendMessage(ctx: Context, endpointId: string, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'resend a message')
  await change(ctx, async (tx) => {
    const { state, entity } = await lockEndpoint(ctx, tx, endpointId)
    refuseUnlessActive(state)
    if (!(await makeDueAgain(tx, ctx.workspaceId, endpointId, id, ctx.clock.now())))
      throw notFound('message', id)
    return {
      value: undefined,
      audit: {
        event: 'webhook_endpoint_changed',
        entity,
        details: { change: 'resent', message: messageId(id) },
      },
    }
  })
}

export function refuseUnlessActive(state: 'active' | 'paused' | 'off'): void {
  if (state !== 'active') throw new DomainError('conflict', `The endpoint is ${state}. Resume it first.`)
}
