import { microsPerCent, money } from '@signalbox/contract/money.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { startOfMonth } from '../../days.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { currentPolicy } from '../../work/policies/current.ts'
import { unaffordable } from '../orders/obstacles.ts'
import { selectSpending } from '../orders/queue-store.ts'
import { selectNextToSurvey, selectOpenSurvey, selectSpentOnSurveys } from './survey-store.ts'

/** What a survey could begin with now; or why none can. */
export type SurveyStanding =
  | { reason: string; policy: PolicyVersion | null; spentMicros: number }
  | { reason: null; policy: PolicyVersion; spentMicros: number; budgetCents: number; repository: string }

/**
 * Everything that keeps a team from being surveyed: the schedule, a person who starts one and the page that says why
 * none begins ask here. What a survey may spend is the smallest of its own cap, what is left of the month's for
 * maintenance, and it must fit into what the team may spend at all. Several repositories have their turns.
 */
export async function surveyStanding(
  { workspaceId, clock }: Pick<Context, 'workspaceId' | 'clock'>,
  db: Db | Tx,
  team: { id: string; paused: boolean },
): Promise<SurveyStanding> {
  const now = clock.now()
  const policy = (await currentPolicy(db, workspaceId, team.id)) ?? null
  const spentMicros = await selectSpentOnSurveys(db, workspaceId, team.id, startOfMonth(now))
  const none = (reason: string) => ({ reason, policy, spentMicros })
  if (!policy) return none('The team has no policy.')
  if (team.paused) return none('The team is paused.')
  const repository = await selectNextToSurvey(db, workspaceId, team.id)
  if (repository === undefined) return none('The team has no repository.')
  if (await selectOpenSurvey(db, workspaceId, team.id)) return none('A survey is already running.')
  const { surveyCents, monthCents } = policy.maintenance
  const leftCents = Math.floor(monthCents - spentMicros / microsPerCent)
  if (leftCents < 1) return none(`The ${money(monthCents)} for maintenance this month has been spent.`)
  const budgetCents = Math.min(surveyCents, leftCents)
  const spending = await selectSpending(db, workspaceId, team.id, now)
  const short = unaffordable({ spending }, policy, budgetCents * microsPerCent)
  return short ? none(short.reason) : { reason: null, policy, spentMicros, budgetCents, repository }
}
