import type { Action } from './action.ts'
import { runStep } from './run-step.ts'

/** A revert pull request is opened. */
export const openRevert: Action = (ctx, tx, answered) =>
  runStep(
    ctx,
    tx,
    answered,
    { type: 'revert_approved' },
    {
      type: 'revert_started',
      status: 'queued',
      message: 'A pull request that takes the merge back is being opened.',
    },
  )
