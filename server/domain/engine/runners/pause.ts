import type { Context } from '../../context.ts'
import { setState } from './set-state.ts'

/** A runner finishes what it has and takes nothing more, until it is resumed. */
export const pauseRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'pause')
