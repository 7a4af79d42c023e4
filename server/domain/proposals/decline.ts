import type { Tx } from '../../infra/db/db.ts'
import type { Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { recordOnIncident } from '../incidents/note.ts'
import { decideProposal } from './store.ts'

/** Declines a proposal. It is remembered: the same one is not made again. */
export async function declineProposal(ctx: Context, tx: Tx, proposalId: string): Promise<Entry[]> {
  const proposal = await decideProposal(tx, ctx.workspaceId, proposalId, 'declined', ctx.clock.now())
  if (!proposal.incident_id) return []
  const isRevert = proposal.kind === 'revert_approval'
  return recordOnIncident(ctx, tx, proposal.incident_id, {
    type: isRevert ? 'merge_kept' : 'left',
    text: isRevert ? 'The suspected merge is left as it is' : 'Left to the person on call',
    data: {},
    reason: isRevert ? 'the suspected merge is left as it is' : 'left to the person on call',
  })
}
