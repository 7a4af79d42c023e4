import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { recordStep } from '../../work/timeline/append.ts'
import { decideProposal } from '../lifecycle/proposal-store.ts'
import { keepRedMerge } from '../lifecycle/report-main.ts'
import { isHalfMerged } from '../machine/parts.ts'
import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** The proposal is declined and remembered. A proposed revert is a proposal too: declined, the merge stays. */
export const declineProposal: Action = async (ctx, tx, answered) => {
  const { decision, run } = answered
  if (run) {
    // A person who keeps the merge knows that the branch is red, so other merges are no longer held for it.
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
