import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { requireTeam } from '../teams/read.ts'
import { changesAt, isOnCall } from './hours.ts'
import { type StoredServiceRow, selectServiceRows } from './store.ts'

/** Services with what is going on in them now, by name. */
export async function listServiceRows(ctx: Context, filter: { team?: string } = {}): Promise<ServiceRow[]> {
  const rows = await selectServiceRows(ctx.db, ctx.workspaceId, filter)
  if (rows.length === 0 && filter.team !== undefined) await requireTeam(ctx, filter.team)
  return rows.map((row) => serviceRowOf(row, ctx.clock.now()))
}

export async function readServiceRow(ctx: Context, id: string): Promise<ServiceRow> {
  const [row] = await selectServiceRows(ctx.db, ctx.workspaceId, { id })
  if (!row) throw notFound('service', id)
  return serviceRowOf(row, ctx.clock.now())
}

function serviceRowOf(row: StoredServiceRow, now: Date): ServiceRow {
  const { hours } = row.settings
  const until = changesAt(hours, now)?.toISOString() ?? null
  return { ...row, onCall: { now: isOnCall(hours, now), until } }
}
