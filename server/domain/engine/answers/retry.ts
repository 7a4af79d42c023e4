import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** A new attempt starts with the note as guidance. */
export const retry: Action = (ctx, tx, answered) =>
  runStep(
    ctx,
    tx,
    answered,
    { type: 'attempt_wanted', guidance: answered.note },
    {
      type: 'attempt_started',
      status: 'queued',
      message: answered.note ? 'A new attempt starts with your note as guidance.' : 'A new attempt starts.',
    },
  )
