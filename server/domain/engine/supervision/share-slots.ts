import type { Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import { selectFreeSlots, selectTeamsInLine } from '../orders/workforce-store.ts'
import { startNext } from './start-next.ts'

/**
 * Gives out the slots that runners have free: one run to each team that waits, in turn, and first to those that have
 * the fewest of them. A team left to fill its own slots would take all there are and keep the others waiting. Returns the
 * team of each run that was started.
 */
export async function shareSlots(ctx: Context, work: Pick<WorkPort, 'serves'>): Promise<string[]> {
  const started: string[] = []
  const passed = new Set<string>()
  const lineUp = async () =>
    (await selectTeamsInLine(ctx.db, ctx.workspaceId, ctx.clock.now())).filter(({ id }) => !passed.has(id))
  let line = await lineUp()
  while (line.length > 0) {
    if ((await selectFreeSlots(ctx.db, ctx.workspaceId, ctx.clock.now())) === 0) return started
    const [{ id, lastRun }, ...others] = line as [(typeof line)[number], ...typeof line]
    if (await startNext(ctx, id, work, { lastRun })) {
      started.push(id)
      line = await lineUp()
    } else {
      // A team that could not start anything now cannot in a moment either.
      passed.add(id)
      line = others
    }
  }
  return started
}
