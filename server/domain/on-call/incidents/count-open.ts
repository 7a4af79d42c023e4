import type { Context } from '../../context.ts'
import { selectOpenCount } from './store.ts'

/** How many incidents are open. */
export const countOpenIncidents = (ctx: Context): Promise<number> => selectOpenCount(ctx.db, ctx.workspaceId)
