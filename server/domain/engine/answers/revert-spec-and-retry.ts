import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** The acceptance spec is restored; a new attempt starts. */
export const revertSpecAndRetry: Action = (ctx, tx, answered) =>
  runStep(
    ctx,
    tx,
    answered,
    { type: 'spec_restored' },
    {
      type: 'spec_restored',
      status: 'queued',
      message: 'The acceptance spec is restored, and a new attempt starts.',
    },
  )
