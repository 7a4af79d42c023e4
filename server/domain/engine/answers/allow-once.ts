import type { Action } from './action.ts'
import { runStep } from './run-step.ts'

/** A policy exception is granted, for this run only. */
export const allowOnce: Action = (ctx, tx, answered) => {
  const paths = (answered.decision.facts.paths as string[] | undefined) ?? []
  return runStep(
    ctx,
    tx,
    answered,
    { type: 'exception_granted', paths },
    {
      type: 'exception_granted',
      status: 'done',
      message: `Allowed for this run: ${paths.join(', ') || 'what was asked for'}.`,
    },
  )
}
