import type { Context } from '../../context.ts'
import { setState } from './set-state.ts'

/** A runner finishes what it has and stops. */
export const drainRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'drain')
