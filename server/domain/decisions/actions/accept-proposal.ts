import { acceptProposal as accept } from '../../proposals/accept.ts'
import type { Action } from './action.ts'

/** The proposal is filed as a story, or sent to the requirements. */
export const acceptProposal: Action = (ctx, tx, { decision, note }) =>
  accept(ctx, tx, decision.proposalId!, note)
