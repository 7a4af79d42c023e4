import type { Context } from '../context.ts'
import { setState } from './set-state.ts'

/** Takes a runner off the list and hands back what it has. It can connect again when it is started anew; a revoked token keeps it out. */
export const removeRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'remove')
