import { endRun } from './end-run.ts'
import type { Action } from './option-action.ts'

/** The run ends; the story returns to Backlog. */
export const abandon: Action = (ctx, tx, answered) => endRun(ctx, tx, answered, null)
