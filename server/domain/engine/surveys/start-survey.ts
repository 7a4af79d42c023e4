import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { nextKey } from '../../keys.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam, lockTeamById } from '../../work/teams/lock.ts'
import { offerSurvey } from './offer-survey.ts'
import { type SurveyStanding, surveyStanding } from './survey-obstacle.ts'
import { dueOf } from './survey-schedule.ts'
import { insertSurvey, selectSchedule } from './survey-store.ts'

/** Has a team's repository surveyed now, whatever its schedule says. Its budgets hold all the same. */
export async function startSurvey(ctx: Context, slug: string): Promise<{ key: string }> {
  requireRole(ctx, 'admin', 'start a survey')
  return change(ctx, async (tx) => {
    const { id } = await lockTeam(tx, ctx.workspaceId, slug)
    const team = (await lockTeamById(tx, ctx.workspaceId, id))!
    const standing = await surveyStanding(ctx, tx, team)
    if (standing.reason !== null) throw new DomainError('conflict', `No survey can start. ${standing.reason}`)
    const { key, entry } = await begin(ctx, tx, team, standing, null)
    return { value: { key }, audit: entry }
  })
}

/** The same when a schedule says so. Null: it is not due after all, or cannot begin now; the next look may find it can. */
export async function startDueSurvey(ctx: Context, teamId: string): Promise<string | null> {
  return change<string | null>(ctx, async (tx) => {
    const none = { value: null, audit: [] }
    const team = await lockTeamById(tx, ctx.workspaceId, teamId)
    if (!team) return none
    // Another node may have looked at the same time.
    const schedule = await selectSchedule(tx, ctx.workspaceId, teamId)
    const dueAt = schedule ? dueOf(schedule.schedule, schedule, ctx.clock.now()) : null
    if (!dueAt) return none
    const standing = await surveyStanding(ctx, tx, team)
    if (standing.reason !== null) return none
    const { key, entry } = await begin(ctx, tx, team, standing, dueAt)
    return { value: key, audit: entry }
  })
}

async function begin(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string; name: string },
  { policy, budgetCents, repository }: Extract<SurveyStanding, { reason: null }>,
  dueAt: Date | null,
): Promise<{ key: string; entry: Entry }> {
  const at = ctx.clock.now()
  const id = newId(at)
  const key = await nextKey(tx, ctx.workspaceId, 'run')
  const { executor, version: policyVersion } = policy
  await insertSurvey(tx, ctx.workspaceId, {
    ...{ id, key, teamId: team.id, budgetCents, executor, policyVersion, repository, dueAt, at },
    startedBy: dueAt ? null : ctx.actor.name,
  })
  await offerSurvey(ctx, tx, { id, fence: 1, attempt: 1, executor }, policy)
  const entry: Entry = {
    event: 'survey_changed',
    team: team.slug,
    entity: { type: 'survey', id: key, name: `Survey of ${team.name}` },
    details: {
      ...{ change: 'started', budgetCents, policyVersion, executor },
      cause: dueAt ? 'schedule' : 'person',
    },
  }
  return { key, entry }
}
