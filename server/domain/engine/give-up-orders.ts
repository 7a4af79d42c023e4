import type { Tx } from '../../infra/db/db.ts'
import type { Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { advance } from './advance.ts'
import { selectOrdersOfRunner } from './claim-store.ts'
import { giveUpSurvey } from './give-up-survey.ts'
import { holdRun } from './hold.ts'
import { lockSurvey } from './survey-store.ts'

/**
 * Ends the orders of a runner that will not do them: handed back, the runs wait for another one; lost, they are tried
 * again like after any failure that passes. Whoever calls holds the runner. Returns the keys of the runs.
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
    const run = await holdRun(tx, ctx.workspaceId, { id: order.runId })
    // It may have ended while we were coming.
    if (run.state.phase !== 'working' || run.state.fence !== order.fence) continue
    const type = how === 'lost' ? 'lease_lost' : 'no_runner'
    const advanced = await advance(ctx, tx, run, { type })
    // It is the service that takes them back, whoever's doing made it necessary.
    entries.push(...(advanced?.entries ?? []).map((entry) => ({ ...entry, byService: true as const })))
    runs.push(order.run)
  }
  return { runs, entries }
}
