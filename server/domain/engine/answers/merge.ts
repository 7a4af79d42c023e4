import { DomainError } from '../../errors.ts'
import { parseFacts } from '../../work/decisions/facts.ts'
import { mergeOther } from '../../work/decisions/kinds.ts'
import { isAsShown, isOtherAsShown } from '../machine/machine.ts'
import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** Merges the pull request at the commit that the person who answers was shown. */
export const merge: Action = (ctx, tx, answered) => {
  const { decision, run } = answered
  const asked = parseFacts(decision.kind, decision.facts)
  const shown = asked.kind === 'merge_approval' ? asked.facts : undefined
  const isOther = answered.option.id === mergeOther
  if (shown && run && !(isOther ? isOtherAsShown : isAsShown)(run.state, shown))
    throw new DomainError('conflict', 'The change is different now. Review it again.')
  if (isOther)
    return runStep(
      ctx,
      tx,
      answered,
      { type: 'other_chosen' },
      {
        type: 'merge_started',
        status: 'queued',
        message:
          'The change you chose gets a pull request, which is then merged. The proposed one is closed.',
      },
    )
  return runStep(
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
}
