import type { Action } from './option-action.ts'
import { guidanceOf, runStep } from './run-step.ts'

/** The run continues with the note as input. */
export const requestChanges: Action = (ctx, tx, answered) =>
  runStep(
    ctx,
    tx,
    answered,
    { type: 'changes_requested', guidance: guidanceOf(answered) },
    {
      type: 'run_continued',
      status: 'queued',
      message: 'The run continues with your changes.',
    },
  )
