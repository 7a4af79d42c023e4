import { endRun } from './end-run.ts'
import type { Action } from './option-action.ts'

/** The run ends; the story returns to Backlog with the note. */
export const reject: Action = (ctx, tx, answered) => endRun(ctx, tx, answered, answered.note)
