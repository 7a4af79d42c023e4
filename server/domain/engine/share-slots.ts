import type { Context } from '../context.ts'
import type { WorkPort } from '../ports/work.ts'
import { startNext } from './start-next.ts'
import { selectFreeSlots, selectTeamsInLine } from './workforce-store.ts'

/**
 * Gives out the slots that runners have free: one run to each team that waits, in turn, and first to those that have
 * the fewest of them. A team left to fill its own slots would take all there are and keep the others waiting. Returns the
 * team of each run that was started.
 */
export async function shareSlots(ctx: Context, work: Pick<WorkPort, 'serves'>): Promise<string[]> {
  const started: string[] = []
  let line = await selectTeamsInLine(ctx.db, ctx.workspaceId, ctx.clock.now())
  while (line.length > 0) {
    const served: typeof line = []
    for (const team of line) {
      if ((await selectFreeSlots(ctx.db, ctx.workspaceId, ctx.clock.now())) === 0) return started
      if (await startNext(ctx, team, work)) served.push(team)
    }
    started.push(...served)
    // Whoever could not start anything now cannot in the next round either.
    line = served
  }
  return started
}
