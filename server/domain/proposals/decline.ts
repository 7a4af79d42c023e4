import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { decideProposal } from './store.ts'

/** Declines a proposal. It is remembered: the same one is not made again. */
export const declineProposal = async (ctx: Context, tx: Tx, proposalId: string): Promise<void> => {
  await decideProposal(tx, ctx.workspaceId, proposalId, 'declined', ctx.clock.now())
}
