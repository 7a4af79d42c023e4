import { testEvent } from '@signalbox/contract/webhook-events.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { type Calling, callEndpoint, isReceived } from './call.ts'
import { lockEndpoint } from './lock.ts'
import { secretsOf } from './secret.ts'
import { type Attempted, insertTest, nextSequence, selectEndpoint } from './store.ts'

/** Sends a test event now, also to an endpoint that is paused, and says what came back. It is never tried again. */
export async function sendTest(
  ctx: Context,
  calling: Calling,
  id: string,
): Promise<Attempted & { eventId: string }> {
  requireRole(ctx, 'admin', 'test a webhook endpoint')
  const endpoint = await selectEndpoint(ctx.db, ctx.workspaceId, id)
  if (!endpoint) throw notFound('webhook', id)
  const at = ctx.clock.now()
  const sequence = await change(ctx, async (tx) => ({
    value: await nextSequence(tx, ctx.workspaceId, `endpoint/${id}`),
    audit: [],
  }))
  const test = {
    ...{ endpointId: id, eventId: newId(at), type: testEvent, sequence, at },
    data: JSON.stringify({ key: id }),
  } as const
  const secrets = secretsOf(endpoint, calling.secrets, at)
  const attempted = await callEndpoint(
    ctx,
    calling,
    { id, url: endpoint.url, secrets },
    {
      ...test,
      occurredAt: at,
      workspace: endpoint.workspace,
    },
  )
  const { status, problem } = attempted
  await change(ctx, async (tx) => {
    const { entity } = await lockEndpoint(ctx, tx, id)
    await insertTest(tx, ctx.workspaceId, test, isReceived(attempted), attempted)
    return {
      value: undefined,
      audit: {
        event: 'webhook_endpoint_changed',
        entity,
        result: isReceived(attempted) ? 'success' : 'failure',
        details: { change: 'tested', status, ...(problem ? { reason: problem } : {}) },
      },
    }
  })
  return { ...attempted, eventId: test.eventId }
}
