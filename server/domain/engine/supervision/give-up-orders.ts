import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { advance } from '../lifecycle/advance.ts'
import { lockRun } from '../machine/lock.ts'
import { selectOrdersOfRunner } from '../orders/claim-store.ts'
import { giveUpSurvey } from '../surveys/give-up-survey.ts'
import { lockSurvey } from '../surveys/survey-store.ts'

/**
 * Ends the orders of a runner that will not do them: handed back, the runs wait for another one; lost, they are tried
 * again like after any failure that passes. The caller holds the runner. Returns the keys of the runs.
 */
export async function giveUpOrders(
  ctx: Context,
  tx: Tx,
  runnerId: string,
  how: 'handed_back' | 'lost',
  which: (order: { run: string; fence: number }) => boolean = () => true,
): Promise<{ runs: string[]; entries: Entry[] }> {
  const entries: Entry[] = []
  const runs: string[] = []
  for (const order of await selectOrdersOfRunner(tx, ctx.workspaceId, runnerId)) {
    if (!which(order)) continue
    if (order.job === 'survey') {
      const survey = await lockSurvey(tx, ctx.workspaceId, order.runId)
      if (survey?.phase !== 'working' || survey.fence !== order.fence) continue
      entries.push(await giveUpSurvey(ctx, tx, survey, how === 'lost' ? 'lease_lost' : 'handed_back'))
      runs.push(order.run)
      continue
    }
    const run = await lockRun(tx, ctx.workspaceId, { id: order.runId })
    // It may have ended while we were coming.
    if (run.state.phase !== 'working' || run.state.fence !== order.fence) continue
    const type = how === 'lost' ? 'lease_lost' : 'no_runner'
    const advanced = await advance(ctx, tx, run, { type })
    // The service withdraws them, whatever made it necessary.
    entries.push(...(advanced?.entries ?? []).map((entry) => ({ ...entry, byService: true as const })))
    runs.push(order.run)
  }
  return { runs, entries }
}
