import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { moment } from '../../plain-text.ts'
import type { QuotedAlert } from '../alerts/read-texts.ts'
import type { Finding } from './finding.ts'
import { isCode } from './propose-story.ts'
import { selectAnsweredBefore } from './store.ts'

/**
 * Whether a person has declined a fix for each of these alerts of the service, in whichever incident; what was answered
 * last counts. Undefined when at least one of them was not asked about, or was accepted since.
 */
export async function declinedBefore(
  ctx: Context,
  tx: Tx,
  incidentId: string,
  finding: Finding,
  alerts: readonly QuotedAlert[],
): Promise<{ decision: string; text: string } | undefined> {
  const fingerprints = alerts.map(({ fingerprint }) => fingerprint)
  const expedite = isCode(finding)
  const answered = await selectAnsweredBefore(tx, ctx.workspaceId, { incidentId, fingerprints, expedite })
  const last = fingerprints.map((name) =>
    answered.find(({ alertFingerprints }) => alertFingerprints.includes(name)),
  )
  if (!last.every((answer) => answer?.status === 'declined')) return
  const declined = answered.find(({ status }) => status === 'declined')
  if (!declined) return
  const { decision, by, at } = declined
  const what = expedite ? 'a fix' : 'a story'
  const about = alerts.length === 1 ? 'this alert' : 'these alerts'
  return {
    decision,
    text: `${by ?? 'A person'} declined ${what} for ${about} on ${moment(at)}, so no one is asked again`,
  }
}
