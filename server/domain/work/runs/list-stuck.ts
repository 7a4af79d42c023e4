import type { Context } from '../../context.ts'
import { type StuckRun, selectStuck } from './store.ts'

/** Runs that will not move without help, with the reason; those that have waited longest first. */
export const listStuckRuns = (ctx: Context): Promise<readonly StuckRun[]> =>
  selectStuck(ctx.db, ctx.workspaceId)
