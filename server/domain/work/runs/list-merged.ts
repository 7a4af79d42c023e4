import type { Context } from '../../context.ts'
import { type MergedRun, selectMerged } from './store.ts'

export type { MergedRun } from './store.ts'

/** What runs of a team have merged since a time, newest first. */
export const listMerged = (ctx: Context, teamId: string, since: Date): Promise<readonly MergedRun[]> =>
  selectMerged(ctx.db, ctx.workspaceId, teamId, since)
