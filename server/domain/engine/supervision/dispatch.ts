import type { Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import { shareSlots } from './share-slots.ts'
import { startNext } from './start-next.ts'

/**
 * Gives a team work while it has slots. What runners do is given out in turn among all teams that wait for one; a team
 * that is left says what it waits for. Returns how many runs of the team were started.
 */
export async function dispatchTeam(
  ctx: Context,
  teamId: string,
  work: Pick<WorkPort, 'serves'>,
): Promise<number> {
  if ((await teamRepository(ctx.db, ctx.workspaceId, teamId)) !== null) {
    const served = await shareSlots(ctx, work)
    await startNext(ctx, teamId, work, { mayStart: false })
    return served.filter((id) => id === teamId).length
  }
  let started = 0
  while (await startNext(ctx, teamId, work)) started += 1
  return started
}
