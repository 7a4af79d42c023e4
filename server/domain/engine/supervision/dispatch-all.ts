import type { Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import { selectTeamsWithRepository } from '../orders/workforce-store.ts'
import { shareSlots } from './share-slots.ts'
import { startNext } from './start-next.ts'

/** Gives work to all teams whose work is done by runners; each that is left says what it waits for. */
export async function dispatchAll(ctx: Context, work: Pick<WorkPort, 'serves'>): Promise<void> {
  await shareSlots(ctx, work)
  for (const { id } of await selectTeamsWithRepository(ctx.db, ctx.workspaceId))
    await startNext(ctx, id, work, { mayStart: false })
}
