import type { Action } from './action.ts'
import { runStep } from './run-step.ts'

/** The answer is passed to the coding agent; the run continues. */
export const answer: Action = (ctx, tx, answered) => {
  const { decision, option, note } = answered
  const guidance = `Answer to "${decision.title}": ${option.label}${note ? `. ${note}` : ''}`
  return runStep(
    ctx,
    tx,
    answered,
    { type: 'answered', guidance },
    {
      type: 'run_continued',
      status: 'queued',
      message: 'Your answer goes to the coding agent, and the run continues.',
    },
  )
}
