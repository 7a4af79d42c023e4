import type { Context } from '../../context.ts'
import { setState } from './set-state.ts'

/** Takes a runner off the list and hands back its orders. Restarted, it can connect again; a revoked token bars it. */
export const removeRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'remove')
