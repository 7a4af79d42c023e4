import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { followInChat } from '../../work/chat/show-decision.ts'
import { type Closed, closeOfProposal, closeOfTeam, closePending } from './decision-store.ts'

/** Why no answer is needed any more. */
export type CancelCause = Details['decision_cancelled']['cause']

/** Withdraws what a run still asks: no answer is needed any more. */
export async function cancelDecisions(
  ctx: Context,
  tx: Tx,
  run: { id: string; key: string; team: string },
  cause: CancelCause,
): Promise<Entry[]> {
  const cancelled = await closePending(tx, ctx.workspaceId, 'cancelled', run.id)
  return entriesOf(ctx, tx, cancelled, { team: run.team, runKey: run.key }, cause)
}

/** The same for the question about a proposal. */
export async function cancelProposal(
  ctx: Context,
  tx: Tx,
  proposalId: string,
  team: string,
  cause: CancelCause,
): Promise<Entry[]> {
  return entriesOf(ctx, tx, await closeOfProposal(tx, ctx.workspaceId, proposalId), { team }, cause)
}

/** The same for all that a team still asks. */
export async function cancelDecisionsOfTeam(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  cause: CancelCause,
): Promise<Entry[]> {
  return entriesOf(ctx, tx, await closeOfTeam(tx, ctx.workspaceId, team.id), { team: team.slug }, cause)
}

async function entriesOf(
  ctx: Context,
  tx: Tx,
  cancelled: readonly Closed[],
  about: { team: string; runKey?: string },
  cause: CancelCause,
): Promise<Entry[]> {
  for (const { key } of cancelled) await followInChat(ctx, tx, key, 'cancelled')
  return cancelled.map(({ key, title, kind }) => ({
    event: 'decision_cancelled',
    ...about,
    entity: { type: 'decision', id: key, name: title },
    details: { kind, cause },
  }))
}
