import type { Context } from '../../context.ts'
import { dueOf } from './survey-schedule.ts'
import { selectScheduledOfAllWorkspaces } from './survey-store.ts'

/** Teams whose repository is to be surveyed by now. */
export async function dueSurveys({
  db,
  clock,
}: Pick<Context, 'db' | 'clock'>): Promise<{ id: string; workspaceId: string }[]> {
  const now = clock.now()
  const teams = await selectScheduledOfAllWorkspaces(db)
  return teams.filter((team) => dueOf(team.schedule, team, now) !== null)
}
