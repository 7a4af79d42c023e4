import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** The plan is approved. Implementation starts. */
export const approvePlan: Action = (ctx, tx, answered) =>
  runStep(
    ctx,
    tx,
    answered,
    { type: 'plan_approved' },
    {
      type: 'implementation_started',
      status: 'queued',
      message: 'The plan is approved. Implementation starts.',
    },
  )
