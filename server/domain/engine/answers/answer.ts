import { askerOf } from '../../work/decisions/facts.ts'
import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/**
 * The answer is passed to the coding agent; the run continues. Where a person's own agent asked, it reads the answer
 * itself, and there is nothing to resume.
 */
export const answer: Action = async (ctx, tx, answered) => {
  const { decision, option, note } = answered
  const asker = askerOf(decision.kind, decision.facts)
  if (asker) {
    const target = { type: 'decision', id: decision.key } as const
    const message = `Your answer goes to ${asker.name}’s coding agent.`
    return { effects: [{ type: 'answer_recorded', status: 'done', target, message }], entries: [] }
  }
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
