import type { MaintenancePage } from '@signalbox/contract/app/maintenance.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { readTeam } from '../../work/teams/read.ts'
import { surveyStanding } from './survey-obstacle.ts'
import { dueOf, nextDue } from './survey-schedule.ts'
import { selectSchedule, selectSurveys } from './survey-store.ts'

const mostListed = 10

/** What is known of a team's surveys: how the policy has them, what they came to, and when the next one is. */
export async function readMaintenance(ctx: Context, slug: string): Promise<MaintenancePage> {
  const { id, paused } = fromJson(await readTeam(ctx, slug))
  const { db, workspaceId } = ctx
  const now = ctx.clock.now()
  const standing = await surveyStanding(ctx, db, { id, paused })
  const schedule = await selectSchedule(db, workspaceId, id)
  // One that is due and could not begin yet is the next one.
  const next = schedule && (dueOf(schedule.schedule, schedule, now) ?? nextDue(schedule.schedule, now))
  return {
    settings: standing.policy?.maintenance ?? null,
    spentMonthCents: Math.ceil(standing.spentMicros / 10_000),
    nextAt: next ? next.toISOString() : null,
    obstacle: standing.reason,
    surveys: (await selectSurveys(db, workspaceId, id, mostListed)).map(fromJson),
  }
}
