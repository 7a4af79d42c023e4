import type { Delivery, DeliveryListed, Refusal } from '@signalbox/contract/app/sources.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { type Page, type PageRequest, pageFrom } from '../page.ts'
import { selectDeliveries, selectDelivery, selectRefusals } from './store.ts'
import { withoutSecrets } from './without-secrets.ts'

const mostRefusals = 50

/** What a source has delivered with a right proof, newest first. */
export async function listDeliveries(
  ctx: Context,
  source: string,
  page: PageRequest,
): Promise<Page<DeliveryListed>> {
  return pageFrom(await selectDeliveries(ctx.db, ctx.workspaceId, source, page), page)
}

/** A delivery with what was understood of it. */
export async function readDelivery(ctx: Context, source: string, id: string): Promise<Delivery> {
  const found = await selectDelivery(ctx.db, ctx.workspaceId, source, id)
  if (!found) throw notFound('delivery', id)
  return { ...found.listed, alertList: found.alerts.map(withoutSecrets) }
}

/** What was refused lately, by hour and reason. */
export async function listRefusals(ctx: Context, source: string): Promise<Refusal[]> {
  const rows = await selectRefusals(ctx.db, ctx.workspaceId, source, mostRefusals)
  return rows.map(({ hour, lastAt, ...row }) => ({
    ...row,
    hour: hour.toISOString(),
    lastAt: lastAt.toISOString(),
  }))
}
