import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { nameOf } from './settings.ts'
import { type Endpoint, selectEndpointForUpdate } from './store.ts'

/** Holds an endpoint until the transaction ends; with how the log names it. */
export async function lockEndpoint(
  ctx: Context,
  tx: Tx,
  id: string,
): Promise<Endpoint & { entity: { type: 'webhook_endpoint'; id: string; name: string } }> {
  const endpoint = await selectEndpointForUpdate(tx, ctx.workspaceId, id)
  if (!endpoint) throw notFound('webhook', id)
  return { ...endpoint, entity: { type: 'webhook_endpoint', id, name: nameOf(endpoint) } }
}
