import type { Action } from './action.ts'
import { runStep } from './run-step.ts'

/** The pull request is merged. */
export const merge: Action = (ctx, tx, answered) =>
  runStep(
    ctx,
    tx,
    answered,
    { type: 'merge_approved' },
    {
      type: 'merge_started',
      status: 'queued',
      message: `Pull request #${answered.run?.state.pullRequest?.number ?? '?'} is being merged.`,
    },
  )
