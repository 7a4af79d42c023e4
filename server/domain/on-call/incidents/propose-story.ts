import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { proposeOnIncident } from '../../engine/lifecycle/propose.ts'
import type { Entry } from '../../record/audit/change.ts'
import { oneLine } from '../../work/decisions/quote.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import type { QuotedAlert } from '../alerts/read-texts.ts'
import type { Finding } from './finding.ts'
import { fixStory, outsideStory } from './fix-story.ts'
import type { InvestigatedIncident } from './store.ts'

/**
 * A fix in the code waits for a yes; a cause outside the code waits for a person to act on it. Returns null if it was
 * proposed before: `wish` tells one request to propose it from another.
 */
export async function proposeStory(
  ctx: Context,
  tx: Tx,
  incident: InvestigatedIncident,
  finding: Finding,
  alerts: readonly QuotedAlert[],
  wish = '',
): Promise<{ key: string; entries: Entry[] } | null> {
  const expedite = isCode(finding)
  const story = (expedite ? fixStory : outsideStory)(incident, finding, alerts)
  const confidence = `Confidence: ${Math.round(finding.confidence * 100)}%`
  const body = [finding.summary, confidence, ...finding.evidence].join('\n')
  const raised = await proposeOnIncident(
    ctx,
    tx,
    incident.team,
    {
      fingerprint: `incident ${incident.id}${wish && ` ${wish}`}`,
      title: expedite
        ? story.title
        : shortened(`Outside the code: ${oneLine(incident.title) || incident.key}`),
      body,
      story,
      incidentId: incident.id,
      alertFingerprints: alerts.map(({ fingerprint }) => fingerprint),
    },
    { kind: 'maintenance_proposal', facts: { incident: incident.key, expedite, body } },
  )
  if (!raised) return null
  const what = expedite ? 'whether to start an urgent fix' : 'a person to take a look'
  await asked(ctx, tx, incident.id, raised.key, what)
  return raised
}

/** A fix of the code is asked about, rather than what only people may touch. */
export const isCode = ({ outcome }: Finding): boolean => outcome === 'code'

/** The timeline says what is asked. */
export async function asked(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  decision: string,
  what: string,
): Promise<void> {
  const step = { type: 'asked', text: `${decision} asks ${what}`, data: { decision } }
  await appendToTimeline(ctx, tx, incidentId, step)
}

export const shortened = (text: string) =>
  text.length <= 200 ? text : `${text.slice(0, 199).toWellFormed()}…`
