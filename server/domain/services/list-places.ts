import type { Place } from '@signalbox/contract/app/services.ts'
import type { Context } from '../context.ts'
import { readService } from './read.ts'
import { selectPlaces } from './store.ts'

/** Where incidents of a service can be posted: the chat places of its team. */
export async function listPlaces(ctx: Context, id: string): Promise<readonly Place[]> {
  const places = await selectPlaces(ctx.db, ctx.workspaceId, id)
  if (places.length === 0) await readService(ctx, id)
  return places
}
