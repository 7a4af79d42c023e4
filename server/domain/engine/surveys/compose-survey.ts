import type { SurveyOrder } from '@signalbox/contract/runner/messages.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import { orderedInside } from '../../work/repositories/ordered-inside.ts'
import type { Rates } from '../orders/bill.ts'
import { budgetOf, orderedPolicy } from '../orders/compose-order.ts'
import { leaseSeconds } from '../orders/orders.ts'
import { selectKnownProposals, selectSurvey } from './survey-store.ts'

/** How many earlier proposals a runner is told. The server remembers the others as well. */
const mostTold = 200

/** What the runner that does a survey is told. Null: the team has no repository any more. */
export async function composeSurvey(
  ctx: Context,
  tx: Tx,
  { runId, fence }: { runId: string; fence: number },
  rates: Rates,
): Promise<SurveyOrder | null> {
  const survey = (await selectSurvey(tx, ctx.workspaceId, runId))!
  const { team, attempt, executor, policyVersion, key } = survey
  const repository = await teamRepository(tx, ctx.workspaceId, team.id, survey.repository)
  if (!repository) return null
  const { name, address, branch } = repository
  return {
    ...{ run: key, fence, attempt, job: 'survey', executor, team: team.slug, leaseSeconds },
    policy: orderedPolicy(await policySnapshot(tx, ctx.workspaceId, team.id, policyVersion)),
    repository: { name, address, branch },
    ...orderedInside(repository),
    budget: budgetOf(survey, rates),
    known: survey.checks ? [] : await selectKnownProposals(tx, ctx.workspaceId, team.id, mostTold),
    ...(survey.checks ? { checks: survey.checks } : {}),
  }
}
