import type { Context } from '../../context.ts'
import { setState } from './set-state.ts'

/** Turns away a runner that waits for approval. Started again, it waits again; a revoked token keeps it out. */
export const rejectRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'reject')
