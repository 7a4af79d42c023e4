import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { decideProposal } from './store.ts'

/** Notes that nobody answered. */
export const lapseProposal = async (ctx: Context, tx: Tx, proposalId: string): Promise<void> => {
  await decideProposal(tx, ctx.workspaceId, proposalId, 'lapsed', ctx.clock.now())
}
