import type { Service } from '@signalbox/contract/service.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { selectService, selectServices } from './store.ts'

export async function readService(ctx: Context, id: string): Promise<Json<Service>> {
  const service = await selectService(ctx.db, ctx.workspaceId, id)
  if (!service) throw notFound('service', id)
  return service.json
}

/** Every service of the workspace, or of a team, by name. */
export async function listServices(ctx: Context, filter: { team?: string } = {}): Promise<Json<Service>[]> {
  return (await selectServices(ctx.db, ctx.workspaceId, filter.team)).map((row) => row.json)
}
