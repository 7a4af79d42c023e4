import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { advance } from './advance.ts'
import type { JobRef } from './claim-store.ts'
import { endSurvey } from './end-survey.ts'
import { holdRun } from './hold.ts'
import { noteReason } from './queue-store.ts'
import { lockSurvey } from './survey-store.ts'
import { noRepository } from './workforce.ts'

/**
 * Takes back an order whose repository was removed after it was offered: no runner could do anything with it. The run
 * waits again and says why; a survey of nothing is over. In a transaction of its own, because whoever moves a run holds
 * it before its order.
 */
export async function withdrawOrder(ctx: Context, { runId, fence, job }: JobRef): Promise<void> {
  await change(ctx, async (tx) => {
    const nothing = { value: undefined, audit: [] }
    if (job === 'survey') {
      const survey = await lockSurvey(tx, ctx.workspaceId, runId)
      if (survey?.phase !== 'working' || survey.fence !== fence) return nothing
      const end = { status: 'failed', failureClass: 'dependency', error: noRepository.reason } as const
      return { value: undefined, audit: { ...(await endSurvey(ctx, tx, survey, end)), byService: true } }
    }
    const run = await holdRun(tx, ctx.workspaceId, { id: runId })
    // Somebody may have moved it meanwhile.
    if (run.state.phase !== 'working' || run.state.fence !== fence) return nothing
    const advanced = await advance(ctx, tx, run, { type: 'no_runner' })
    await noteReason(tx, ctx.workspaceId, [run.id], noRepository, ctx.clock.now())
    // It is the service that takes it back, whoever has asked for work.
    const entries = (advanced?.entries ?? []).map((entry) => ({ ...entry, byService: true as const }))
    return { value: undefined, audit: entries }
  })
}
