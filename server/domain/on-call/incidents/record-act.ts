import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { appendToTimeline, incidentUpdated } from '../../work/timeline/append.ts'
import { announceAct } from './announce.ts'
import type { HandledIncident } from './store.ts'

/**
 * Writes down what a person did about an incident: in its timeline, in the places of its service, and for the log. The
 * text follows the person's name.
 */
export async function recordAct(
  ctx: Context,
  tx: Tx,
  incident: HandledIncident,
  { type, text, posted = text }: { type: string; text: string; posted?: string },
  details: Details['incident_updated'],
): Promise<Entry> {
  const { name: by } = ctx.actor
  const { lastStep } = (await appendToTimeline(ctx, tx, incident.id, { type, text, data: { by } }))!
  await announceAct(ctx, tx, incident, { step: lastStep + 1, text: `${by} ${posted}` })
  return incidentUpdated(incident, details)
}
