import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { insertSteps, type LockedIncident, type Step, selectIncidentForUpdate } from './store.ts'

export type { LockedIncident, Step } from './store.ts'

/** What happened, for the next place in the timeline. */
export type NewStep = Omit<Step, 'seq' | 'at'>

/** Locks the incident until the transaction ends. Do so before adding to its timeline. */
export const lockIncident = (tx: Tx, workspaceId: string, id: string): Promise<LockedIncident | undefined> =>
  selectIncidentForUpdate(tx, workspaceId, id)

/** Adds to the timeline of an incident, which is held from then on. */
export async function appendToTimeline(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  ...steps: NewStep[]
): Promise<LockedIncident | undefined> {
  const incident = await selectIncidentForUpdate(tx, ctx.workspaceId, incidentId)
  if (!incident) return
  const at = ctx.clock.now()
  const placed = steps.map((step, index) => ({ ...step, at, seq: incident.lastStep + index + 1 }))
  await insertSteps(tx, ctx.workspaceId, incidentId, placed)
  return incident
}

/** The same for steps whose places are known. */
export const writeTimeline = (
  tx: Tx,
  workspaceId: string,
  incidentId: string,
  steps: Step[],
): Promise<void> => insertSteps(tx, workspaceId, incidentId, steps)

/** Adds a step that the audit log reports, too, with the same fields. */
export async function recordStep(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  text: string,
  details: Details['incident_updated'],
): Promise<Entry[]> {
  const { change: type, ...data } = details
  const incident = await appendToTimeline(ctx, tx, incidentId, { type, text, data })
  return incident ? [incidentUpdated(incident, details)] : []
}

/** What the log says of an incident that was opened before and is not resolved by this. */
export const incidentUpdated = (
  { key, title, team }: Pick<LockedIncident, 'key' | 'title' | 'team'>,
  details: Details['incident_updated'],
): Entry => ({
  event: 'incident_updated',
  team,
  entity: { type: 'incident', id: key, name: title },
  details,
})
