import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { advance } from '../lifecycle/advance.ts'
import { lockRun } from '../machine/lock.ts'
import type { JobRef } from '../orders/claim-store.ts'
import { noteReason } from '../orders/queue-store.ts'
import { noRepository } from '../orders/workforce.ts'
import { endSurvey } from '../surveys/end-survey.ts'
import { lockSurvey } from '../surveys/survey-store.ts'

/**
 * Withdraws an order whose repository was removed after it was offered: no runner could do anything with it. The run
 * waits again and says why; a survey of nothing is over. In a transaction of its own, because a run is locked before
 * its order.
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
    const run = await lockRun(tx, ctx.workspaceId, { id: runId })
    // It may have moved by now.
    if (run.state.phase !== 'working' || run.state.fence !== fence) return nothing
    const advanced = await advance(ctx, tx, run, { type: 'no_runner' })
    await noteReason(tx, ctx.workspaceId, [run.id], noRepository, ctx.clock.now())
    // The service withdraws it, whichever runner has asked for work.
    const entries = (advanced?.entries ?? []).map((entry) => ({ ...entry, byService: true as const }))
    return { value: undefined, audit: entries }
  })
}
