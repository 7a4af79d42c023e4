import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { listPlaces } from '../../work/places/list.ts'
import { requireTeam } from '../../work/teams/read.ts'
import { changesAt, isOnCall } from './hours.ts'
import { type StoredServiceRow, selectServiceRows } from './store.ts'

/** Services with what is going on in them now, by name. */
export async function listServiceRows(ctx: Context, filter: { team?: string } = {}): Promise<ServiceRow[]> {
  const rows = await selectServiceRows(ctx.db, ctx.workspaceId, filter)
  if (rows.length === 0 && filter.team !== undefined) await requireTeam(ctx, filter.team)
  return Promise.all(rows.map((row) => serviceRowOf(ctx, row)))
}

export async function readServiceRow(ctx: Context, id: string): Promise<ServiceRow> {
  const [row] = await selectServiceRows(ctx.db, ctx.workspaceId, { id })
  if (!row) throw notFound('service', id)
  return serviceRowOf(ctx, row)
}

async function serviceRowOf(ctx: Context, row: StoredServiceRow): Promise<ServiceRow> {
  const { hours } = row.settings
  const now = ctx.clock.now()
  const until = changesAt(hours, now)?.toISOString() ?? null
  return { ...row, tellsNoOne: await tellsNoOne(ctx, row), onCall: { now: isOnCall(hours, now), until } }
}

/** Members who have left are not among those it notifies. Channels are only looked at where it has no members. */
async function tellsNoOne(ctx: Context, { team, settings }: StoredServiceRow): Promise<boolean> {
  if (settings.notify.length > 0) return false
  const places = await listPlaces(ctx, team)
  return !places.some(({ id }) => settings.places === null || settings.places.includes(id))
}
