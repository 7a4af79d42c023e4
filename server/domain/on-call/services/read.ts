import type { Service } from '@signalbox/contract/service.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectService } from './store.ts'

export async function readService(ctx: Context, id: string): Promise<Json<Service>> {
  const service = await selectService(ctx.db, ctx.workspaceId, id)
  if (!service) throw notFound('service', id)
  return service.json
}
