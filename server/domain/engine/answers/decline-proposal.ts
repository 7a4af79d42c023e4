import type { Tx } from '../../../infra/db/db.ts'
import type { Entry } from '../../audit/change.ts'
import type { Context } from '../../context.ts'
import { recordStep } from '../../timeline/append.ts'
import { isHalfMerged } from '../parts.ts'
import { decideProposal } from '../proposal-store.ts'
import { keepRedMerge } from '../report-main.ts'
import type { Action } from './action.ts'
import { runStep } from './run-step.ts'

/** The proposal is declined and remembered. A proposed revert is a proposal too: declined, the merge stays. */
export const declineProposal: Action = async (ctx, tx, answered) => {
  const { decision, run } = answered
  if (run) {
    // Whoever leaves the merge knows of the red branch: other merges are not held because of it any longer.
    const { memory } = run.state
    const withdrawn = isHalfMerged(memory) ? [] : await keepRedMerge(ctx, tx, run.team, memory.at)
    const effect = { type: 'merge_kept', status: 'done', message: 'The merge stays.' } as const
    const taken = await runStep(ctx, tx, answered, { type: 'merge_kept' }, effect)
    return { ...taken, entries: [...taken.entries, ...withdrawn] }
  }
  return {
    entries: await decline(ctx, tx, decision.proposalId!),
    effects: [
      {
        type: 'proposal_declined',
        status: 'done',
        target: { type: 'team', id: decision.team.slug },
        message: 'Declined. This won’t be proposed again.',
      },
    ],
  }
}

async function decline(ctx: Context, tx: Tx, proposalId: string): Promise<Entry[]> {
  const proposal = await decideProposal(tx, ctx.workspaceId, proposalId, 'declined', ctx.clock.now())
  if (!proposal.incidentId) return []
  const isRevert = proposal.kind === 'revert_approval'
  return recordStep(
    ctx,
    tx,
    proposal.incidentId,
    isRevert ? 'The suspected merge is kept' : 'Left to the person on call',
    { change: isRevert ? 'merge_kept' : 'left' },
  )
}
