import { declineProposal as decline } from '../../proposals/decline.ts'
import { setMainRed } from '../../teams/main.ts'
import type { Action } from './action.ts'
import { runStep } from './run-step.ts'

/** The proposal is declined and remembered. A proposed revert is a proposal too: declined, the merge stays. */
export const declineProposal: Action = async (ctx, tx, answered) => {
  const { decision, run } = answered
  if (run) {
    // Whoever leaves the merge knows of the red branch: other merges are not held because of it any longer.
    await setMainRed(ctx, tx, run.team.id, false)
    return runStep(
      ctx,
      tx,
      answered,
      { type: 'merge_kept' },
      {
        type: 'merge_kept',
        status: 'done',
        message: 'The merge stays as it is.',
      },
    )
  }
  return {
    entries: await decline(ctx, tx, decision.proposalId!),
    effects: [
      {
        type: 'proposal_declined',
        status: 'done',
        target: { type: 'team', id: decision.team.slug },
        message: 'Declined. The same proposal will not be made again.',
      },
    ],
  }
}
