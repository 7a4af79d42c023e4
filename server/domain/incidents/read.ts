import type { Incident } from '@signalbox/contract/incident.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { selectIncident } from './store.ts'

/** An incident with its alerts, its timeline, and what was found and asked. */
export async function readIncident(ctx: Context, key: string): Promise<Json<Incident>> {
  const incident = await selectIncident(ctx.db, ctx.workspaceId, key)
  if (!incident) throw notFound('incident', key)
  return incident.json
}
