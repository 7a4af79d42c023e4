import type { Action } from './action.ts'
import { endRun } from './end-run.ts'

/** The run ends; the story returns to Backlog with the note. */
export const reject: Action = (ctx, tx, answered) => endRun(ctx, tx, answered, answered.note)
