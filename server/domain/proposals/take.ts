import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { decideProposal } from './store.ts'

/** Notes that a proposal is carried out, where that is more than filing a story. */
export const takeProposal = async (ctx: Context, tx: Tx, proposalId: string): Promise<void> => {
  await decideProposal(tx, ctx.workspaceId, proposalId, 'accepted', ctx.clock.now())
}
