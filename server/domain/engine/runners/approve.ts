import type { Context } from '../../context.ts'
import { setState } from './set-state.ts'

/** Lets a runner that waits for approval have work. Of one that does not wait it says so. */
export const approveRunner = (ctx: Context, id: string): Promise<void> => setState(ctx, id, 'approve')
