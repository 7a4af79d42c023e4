import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { announceSlot, endOrder } from '../orders/orders.ts'
import { type LockedSurvey, markSurveyEnded, type SurveyEnd } from './survey-store.ts'

/** As the log names it. */
export const surveyName = ({ team, checks }: Pick<LockedSurvey, 'team' | 'checks'>): string =>
  checks ? `Check of the main branch of ${team.name}` : `Survey of ${team.name}`

/** Ends a locked survey and says how it ended. */
export async function endSurvey(
  ctx: Context,
  tx: Tx,
  survey: LockedSurvey,
  ended: Pick<SurveyEnd, 'status'> & Partial<SurveyEnd> & { commit?: string },
): Promise<Entry> {
  const end = {
    ...{ failureClass: null, error: null, proposals: 0, leftOut: 0, touched: [], commit: null },
    ...ended,
  }
  await markSurveyEnded(tx, ctx.workspaceId, survey, { ...end, at: ctx.clock.now() })
  if (await endOrder(ctx, tx, survey.id)) await announceSlot(ctx, tx)
  const { status, proposals, leftOut, touched, failureClass, error } = end
  return {
    event: 'survey_changed',
    team: survey.team.slug,
    result: status === 'failed' ? 'failure' : 'success',
    entity: { type: 'survey', id: survey.key, name: surveyName(survey) },
    details: {
      ...{ change: 'ended', status, proposals, leftOut, costCents: Math.ceil(survey.costMicros / 10_000) },
      ...(touched.length > 0 ? { touched: touched.slice(0, 20) } : {}),
      ...(failureClass ? { failureClass } : {}),
      ...(error ? { reason: error.slice(0, 1_000) } : {}),
    },
  }
}
