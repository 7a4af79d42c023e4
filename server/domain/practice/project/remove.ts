import type { Context } from '../../context.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { forgetRunner } from '../../engine/runners/forget-removed.ts'
import { removeRunner } from '../../engine/runners/remove.ts'
import { resolveIncident } from '../../on-call/incidents/resolve.ts'
import { deleteService } from '../../on-call/services/delete.ts'
import { deleteSource } from '../../on-call/sources/delete.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { endToken } from './end-token.ts'
import { noPractice } from './no-practice.ts'
import { hideProject, markRemoving, selectOpen, selectPracticeRunners, selectProject } from './store.ts'

const reason = 'The practice project was removed'

/**
 * Takes a practice project away, step by step, each the way a person would and with its audit entry. The project itself
 * goes last: whatever breaks off in between, the same call goes on with it. Only an owner deletes a team. Its folder may
 * be on another machine, with a runner in it that is about to end: the process that has it clears it
 * (server/app/practice.ts).
 */
export async function removePractice(ctx: Context): Promise<void> {
  requireRole(ctx, 'owner', 'remove the practice project')
  const project = await housekeeping(ctx.db, 'a practice project is being removed', async (tx) => {
    await markRemoving(tx, ctx.workspaceId, ctx.clock.now())
    return selectProject(tx, ctx.workspaceId)
  })
  if (!project) throw noPractice()
  await endToken(ctx, project)
  const open = (await selectOpen(ctx.db, ctx.workspaceId))!
  for (const key of open.runs) await unlessOver(stopRun(ctx, key, { confirmed: true, reason }))
  for (const key of open.incidents) await unlessOver(resolveIncident(ctx, key, { reason }))
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
}

/** What goes on may end on its own in the same moment. */
async function unlessOver(step: Promise<unknown>): Promise<void> {
  await unlessGone(
    step.catch((error: { code?: string }) => {
      if (error.code !== 'conflict') throw error
    }),
  )
}

/** An earlier attempt has done it, or it ended in the same moment. */
async function unlessGone(step: Promise<unknown>): Promise<void> {
  await step.catch((error: { code?: string }) => {
    if (!error.code?.endsWith('not_found')) throw error
  })
}
