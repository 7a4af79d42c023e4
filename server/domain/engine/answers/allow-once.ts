import { parseFacts } from '../../work/decisions/facts.ts'
import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** A policy exception is granted, for this run only. */
export const allowOnce: Action = (ctx, tx, answered) => {
  const asked = parseFacts(answered.decision.kind, answered.decision.facts)
  const paths = (asked.kind === 'policy_exception' && asked.facts?.paths) || []
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
