import type { Place } from '@signalbox/contract/app/services.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { listPlaces } from '../../work/places/list.ts'
import { readService } from './read.ts'

/** Where incidents of a service can be posted: the chat places of its team. */
export async function listPlacesOf(ctx: Context, id: string): Promise<readonly Place[]> {
  const { team } = fromJson(await readService(ctx, id))
  return listPlaces(ctx, team)
}
