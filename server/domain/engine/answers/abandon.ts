import type { Action } from './action.ts'
import { endRun } from './end-run.ts'

/** The run ends; the story returns to Backlog. */
export const abandon: Action = (ctx, tx, answered) => endRun(ctx, tx, answered, null)
