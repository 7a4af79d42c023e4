import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import type { Incident } from '@signalbox/contract/incident.ts'
import { type Json, withFields } from '@signalbox/contract/shapes.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { listTellings } from '../tellings/list.ts'
import { selectIncident, selectIncidentPage } from './store.ts'

/** An incident with its alerts, its timeline, and what was found and asked. */
export async function readIncident(ctx: Context, key: string): Promise<Json<Incident>> {
  const incident = await selectIncident(ctx.db, ctx.workspaceId, key)
  if (!incident) throw notFound('incident', key)
  return incident.json
}

/** The same with everything around it: who was told, what was asked, filed and started, and where alerts came from. */
export async function readIncidentPage(ctx: Context, key: string): Promise<Json<IncidentPage>> {
  const [incident, tellings] = await Promise.all([
    selectIncidentPage(ctx.db, ctx.workspaceId, key),
    listTellings(ctx, key),
  ])
  if (!incident) throw notFound('incident', key)
  return withFields(incident.json, { tellings: [...tellings] })
}
