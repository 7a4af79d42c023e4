import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { endOrder } from '../orders/orders.ts'
import { endSurvey, surveyName } from './end-survey.ts'
import { offerSurvey } from './offer-survey.ts'
import { type LockedSurvey, updateForNextOrder } from './survey-store.ts'

/** How often a survey is begun before it counts as failed. */
const mostAttempts = 3

/** The runner that had the survey will not do it: it is offered again, unless runners were lost too often. */
export async function giveUpSurvey(
  ctx: Context,
  tx: Tx,
  survey: LockedSurvey,
  cause: 'lease_lost' | 'handed_back',
): Promise<Entry> {
  const isLost = cause === 'lease_lost'
  if (isLost && survey.attempt >= mostAttempts)
    return endSurvey(ctx, tx, survey, {
      ...{ status: 'failed', failureClass: 'transient' },
      error: `The runner was lost ${mostAttempts} times.`,
    })
  await endOrder(ctx, tx, survey.id)
  await updateForNextOrder(tx, ctx.workspaceId, survey, {
    ...{ isNewAttempt: isLost, error: 'The runner stopped responding.', at: ctx.clock.now() },
  })
  const policy = await policySnapshot(tx, ctx.workspaceId, survey.team.id, survey.policyVersion)
  const next = { ...survey, fence: survey.fence + 1, attempt: survey.attempt + (isLost ? 1 : 0) }
  await offerSurvey(ctx, tx, next, policy)
  return {
    byService: true,
    event: 'survey_changed',
    team: survey.team.slug,
    entity: { type: 'survey', id: survey.key, name: surveyName(survey) },
    details: { change: 'offered_again', cause, attempt: next.attempt },
  }
}
