import type { Tx } from '../../../infra/db/db.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import { asService, type Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { nameOf } from './settings.ts'
import { type Endpoint, lockFailing, selectEndpointForUpdate, updateEndpoint } from './store.ts'

type Services = Pick<Context, 'db' | 'clock' | 'queue'>

interface Which {
  id: string
  workspaceId: string
}

/** Turns an endpoint off that is gone, or that has failed since `since` without a break, and tells the owners. */
export async function turnOff(
  services: Services,
  { id, workspaceId }: Which,
  cause: 'gone' | 'failing',
  since?: Date,
): Promise<void> {
  const ctx = asService(services, workspaceId)
  await change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const holds = since === undefined || (await lockFailing(tx, workspaceId, id, since))
    const endpoint = holds ? await selectEndpointForUpdate(tx, workspaceId, id) : undefined
    if (!endpoint || endpoint.state === 'off') return { value: undefined, audit: [] }
    await updateEndpoint(tx, workspaceId, id, { state: { is: 'off', because: cause } }, at)
    await tellOwners(ctx, tx, endpoint, {
      what: `off at ${at.toISOString()}`,
      title: `Webhooks to ${nameOf(endpoint)} were turned off`,
      body:
        cause === 'gone'
          ? 'The endpoint answered that it is gone (410). Events wait for up to 30 days. Resume the endpoint to send them.'
          : 'Nothing could be delivered for 5 days. Events wait for up to 30 days. Fix the receiver, then resume the endpoint to send them.',
    })
    return {
      value: undefined,
      audit: {
        event: 'webhook_endpoint_changed',
        entity: { type: 'webhook_endpoint', id, name: nameOf(endpoint) },
        details: { change: 'turned off', cause },
      },
    }
  })
}

/** Tells the owners once that an endpoint has failed for a day. */
export async function warnOwners(services: Services, { id, workspaceId }: Which, since: Date): Promise<void> {
  const ctx = asService(services, workspaceId)
  await change(ctx, async (tx) => {
    const endpoint =
      (await lockFailing(tx, workspaceId, id, since)) && (await selectEndpointForUpdate(tx, workspaceId, id))
    if (endpoint) {
      const at = ctx.clock.now()
      await updateEndpoint(tx, workspaceId, id, { warnedAt: at }, at)
      await tellOwners(ctx, tx, endpoint, {
        what: `failing since ${since.toISOString()}`,
        title: `Webhooks to ${nameOf(endpoint)} have been failing for a day`,
        body: 'Nothing could be delivered. After 5 days the endpoint is turned off. Its page shows what it answered.',
      })
    }
    return { value: undefined, audit: [] }
  })
}

const tellOwners = async (
  ctx: Context,
  tx: Tx,
  { id }: Pick<Endpoint, 'id'>,
  told: { what: string; title: string; body: string },
) =>
  notify(ctx, tx, await membersAtLeast(tx, ctx.workspaceId, 'owner'), { kind: 'webhook', thing: id, ...told })
