import type { Context } from '../../context.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { forgetRunner } from '../../engine/runners/forget-removed.ts'
import { removeRunner } from '../../engine/runners/remove.ts'
import { resolveIncident } from '../../on-call/incidents/resolve.ts'
import { deleteService } from '../../on-call/services/delete.ts'
import { deleteSource } from '../../on-call/sources/delete.ts'
import type { PracticeGround } from '../../ports/practice-ground.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { endToken } from './end-token.ts'
import { noPractice } from './no-practice.ts'
import { hideProject, selectOpen, selectPracticeRunners, selectProject } from './store.ts'

const reason = 'The practice project was removed'

/**
 * Takes a practice project away, step by step, each the way a person would and with its audit entry. The project itself
 * goes last: whatever breaks off in between, the same call goes on with it. Only an owner deletes a team.
 */
export async function removePractice(ctx: Context, ground: PracticeGround): Promise<void> {
  requireRole(ctx, 'owner', 'remove the practice project')
  const project = await selectProject(ctx.db, ctx.workspaceId)
  if (!project) throw noPractice()
  await endToken(ctx, project)
  const open = (await selectOpen(ctx.db, ctx.workspaceId))!
  for (const key of open.runs) await unlessGone(stopRun(ctx, key, { confirmed: true, reason }))
  for (const key of open.incidents) await unlessGone(resolveIncident(ctx, key, { reason }))
  await unlessGone(deleteSource(ctx, project.sourceId))
  await unlessGone(deleteService(ctx, project.serviceId))
  for (const { id, state } of await selectPracticeRunners(ctx.db, ctx.workspaceId)) {
    if (state !== 'removed') await unlessGone(removeRunner(ctx, id))
    await unlessGone(forgetRunner(ctx, id))
  }
  await unlessGone(deleteTeam(ctx, project.team))
  await housekeeping(ctx.db, 'what a removed practice project has left is in no list', (tx) =>
    hideProject(tx, ctx.workspaceId, project.teamId),
  )
  await ground.clear(project.folder)
}

/** An earlier attempt has done it, or it ended in the same moment. */
async function unlessGone(step: Promise<unknown>): Promise<void> {
  await step.catch((error: { code?: string }) => {
    if (!error.code?.endsWith('not_found')) throw error
  })
}
