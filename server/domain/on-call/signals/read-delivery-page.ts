import type { DeliveryPage } from '@signalbox/contract/app/sources.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectDeliveryPage } from './store.ts'
import { withoutSecrets } from './without-secrets.ts'

/** A delivery with what was understood of it. */
export async function readDeliveryPage(ctx: Context, source: string, id: string): Promise<DeliveryPage> {
  const found = await selectDeliveryPage(ctx.db, ctx.workspaceId, source, id)
  if (!found) throw notFound('delivery', id)
  return { ...found.listed, alertList: found.alerts.map(withoutSecrets) }
}
