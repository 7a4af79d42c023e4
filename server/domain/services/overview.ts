import type { Place, ServiceOverview } from '@signalbox/contract/app/services.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { listPlaces } from '../places/list.ts'
import { requireTeam } from '../teams/read.ts'
import { changesAt, isOnCall } from './hours.ts'
import { readService } from './read.ts'
import { type ServiceState, selectServiceStates } from './store.ts'

/** Services with what is going on in them now, by name. */
export async function listServiceOverviews(
  ctx: Context,
  filter: { team?: string } = {},
): Promise<ServiceOverview[]> {
  const states = await selectServiceStates(ctx.db, ctx.workspaceId, filter)
  if (states.length === 0 && filter.team !== undefined) await requireTeam(ctx, filter.team)
  return states.map((state) => overviewOf(state, ctx.clock.now()))
}

export async function readServiceOverview(ctx: Context, id: string): Promise<ServiceOverview> {
  const [state] = await selectServiceStates(ctx.db, ctx.workspaceId, { id })
  if (!state) throw notFound('service', id)
  return overviewOf(state, ctx.clock.now())
}

/** Where incidents of a service can be posted: the chat places of its team. */
export async function listPlacesOf(ctx: Context, id: string): Promise<readonly Place[]> {
  const { team } = fromJson(await readService(ctx, id))
  return listPlaces(ctx, team)
}

function overviewOf(state: ServiceState, now: Date): ServiceOverview {
  const { hours } = state.settings
  const until = changesAt(hours, now)?.toISOString() ?? null
  return { ...state, onCall: { now: isOnCall(hours, now), until } }
}
