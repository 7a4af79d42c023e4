import type { Context } from '../context.ts'
import { type StuckRun, selectStuck } from './store.ts'

/** Runs that will not move without somebody's help, with the reason; the longest first. */
export const listStuckRuns = (ctx: Context): Promise<readonly StuckRun[]> =>
  selectStuck(ctx.db, ctx.workspaceId)
