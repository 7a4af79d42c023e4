import type { Context } from '../../context.ts'
import { setState } from './set-state.ts'

/** A runner that was paused or drained takes work again. */
export const resumeRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'resume')
