import type { Practice } from '@signalbox/contract/app/practice.ts'
import type { Context } from '../../context.ts'
import { type Progress, selectProgress } from './store.ts'

/** How far the practice project is; null: there is none. */
export async function readPractice(ctx: Context): Promise<Practice | null> {
  const found = await selectProgress(ctx.db, ctx.workspaceId, ctx.clock.now())
  if (!found) return null
  const { run, runnerOnline, decision, incident } = found
  const trouble = found.isBeingRemoved ? removing : found.trouble
  return {
    step: stepOf(found),
    startedBy: found.startedBy,
    startedAt: found.startedAt,
    team: found.team,
    story: { key: found.storyKey, title: found.storyTitle },
    service: found.serviceId,
    ...{ run, decision, incident },
    runner: runnerOnline ? 'online' : trouble ? 'trouble' : 'starting',
    trouble: runnerOnline ? null : trouble,
  }
}

const removing = 'The practice project is being removed. If it is still here in a minute, remove it again.'

/** What a person does or waits for next. */
function stepOf(found: Progress): Practice['step'] {
  const { run, decision, incident, isMerged, revert, alertedAt } = found
  if (revert) return revert.isDone ? 'done' : 'reverting'
  if (decision?.kind === 'revert_approval') return 'revert'
  if (incident) return incident.isInvestigated && incident.status === 'resolved' ? 'done' : 'investigating'
  if (alertedAt) return 'investigating'
  if (isMerged) return 'alert'
  if (!run) return 'starting'
  if (decision?.kind === 'plan_approval') return 'plan'
  if (decision?.kind === 'merge_approval') return 'merge'
  if (decision) return 'asked'
  if (['failed', 'timed_out', 'stopped'].includes(run.status)) return 'ended'
  return run.stage === 'planning' ? 'planning' : run.stage === 'handing_off' ? 'merging' : 'working'
}
