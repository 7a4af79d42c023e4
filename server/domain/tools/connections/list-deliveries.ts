import type { HookDeliveryRow } from '@signalbox/contract/app/connections.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { selectDeliveryRows } from './store.ts'

/** What the webhooks of a connection brought with a right proof, and what was understood of it, newest first. */
export async function listHookDeliveries(
  ctx: Context,
  connection: string,
  page: PageRequest,
): Promise<Page<HookDeliveryRow>> {
  return pageFrom(await selectDeliveryRows(ctx.db, ctx.workspaceId, connection, sliceFor(page)), page)
}
