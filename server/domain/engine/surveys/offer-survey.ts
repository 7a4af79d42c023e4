import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { insertOrder } from '../orders/order-store.ts'
import { announceOffer } from '../orders/orders.ts'
import type { LockedSurvey } from './survey-store.ts'

/** How long a survey waits for a runner that takes it. It blocks nothing while it waits. */
const surveyOfferSeconds = 86_400

/** Lays the order of a survey out for a runner. Only runners do them: there is a repository to be looked at. */
export async function offerSurvey(
  ctx: Context,
  tx: Tx,
  { id, fence, attempt, executor }: Pick<LockedSurvey, 'id' | 'fence' | 'attempt' | 'executor'>,
  { isolation, runnerLabels: labels = [] }: Pick<PolicyVersion, 'isolation' | 'runnerLabels'>,
): Promise<void> {
  const at = ctx.clock.now()
  const until = new Date(at.getTime() + surveyOfferSeconds * 1000)
  await insertOrder(tx, ctx.workspaceId, {
    ...{ runId: id, fence, attempt, executor, isolation, labels, at, offeredUntil: until },
    ...{ leaseUntil: until, stage: 'planning', job: 'survey' },
  })
  await announceOffer(ctx, tx)
}
