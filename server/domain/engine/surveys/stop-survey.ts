import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from '../../work/teams/lock.ts'
import { endSurvey } from './end-survey.ts'
import { lockSurvey, selectOpenSurvey } from './survey-store.ts'

/** Stops a survey for a person. The runner is told with its next beat. */
export async function stopSurvey(ctx: Context, slug: string): Promise<void> {
  requireRole(ctx, 'admin', 'stop a survey')
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    const open = await selectOpenSurvey(tx, ctx.workspaceId, team.id)
    const survey = open && (await lockSurvey(tx, ctx.workspaceId, open.id))
    if (survey?.phase !== 'working') throw new DomainError('conflict', 'No survey is running.')
    return { value: undefined, audit: await endSurvey(ctx, tx, survey, { status: 'stopped' }) }
  })
}
