import type { Tx } from '../../infra/db/db.ts'
import type { Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { type HeldIncident, type IncidentEvent, insertEvents, lockIncident } from './store.ts'

type Note = Omit<IncidentEvent, 'seq' | 'at'>

/** Adds to what has happened in an incident, which is held from then on. */
export async function noteOnIncident(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  ...notes: Note[]
): Promise<HeldIncident | undefined> {
  const incident = await lockIncident(tx, ctx.workspaceId, incidentId)
  if (!incident) return
  const at = ctx.clock.now()
  const events = notes.map((note, index) => ({ ...note, at, seq: incident.lastEvent + index + 1 }))
  await insertEvents(tx, ctx.workspaceId, incidentId, events)
  return incident
}

/** The same, where the log says it too. */
export async function recordOnIncident(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  { reason, ...note }: Note & { reason: string },
): Promise<Entry[]> {
  const incident = await noteOnIncident(ctx, tx, incidentId, note)
  return incident ? [updated(incident, { reason, ...note.data })] : []
}

/** What the log says of an incident that was opened before and is not resolved by this. */
export const updated = (
  { key, title, team }: Pick<HeldIncident, 'key' | 'title' | 'team'>,
  details: NonNullable<Entry['details']>,
): Entry => ({
  event: 'incident_updated',
  team,
  entity: { type: 'incident', id: key, name: title },
  details,
})
