import type { DeliveryRow } from '@signalbox/contract/app/sources.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { selectDeliveryRows } from './store.ts'

/** What a source has delivered with a right proof, newest first. */
export async function listDeliveryRows(
  ctx: Context,
  source: string,
  page: PageRequest,
): Promise<Page<DeliveryRow>> {
  return pageFrom(await selectDeliveryRows(ctx.db, ctx.workspaceId, source, sliceFor(page)), page)
}
