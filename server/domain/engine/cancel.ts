import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../infra/db/db.ts'
import type { Entry } from '../audit/change.ts'
import { closeOfProposal, closeOfTeam, closePending } from './decision-store.ts'

/** Why nobody needs to answer any more. */
export type CancelCause = Details['decision_cancelled']['cause']

/** Takes back what a run still asks: nobody needs to answer any more. */
export async function cancelDecisions(
  tx: Tx,
  workspaceId: string,
  run: { id: string; key: string; team: string },
  cause: CancelCause,
): Promise<Entry[]> {
  const cancelled = await closePending(tx, workspaceId, 'cancelled', run.id)
  return cancelled.map(({ key, title, kind }) => ({
    event: 'decision_cancelled',
    team: run.team,
    runKey: run.key,
    entity: { type: 'decision', id: key, name: title },
    details: { kind, cause },
  }))
}

/** The same for the question about a proposal. */
export async function cancelProposal(
  tx: Tx,
  workspaceId: string,
  proposalId: string,
  team: string,
  cause: CancelCause,
): Promise<Entry[]> {
  const cancelled = await closeOfProposal(tx, workspaceId, proposalId)
  return cancelled.map(({ key, title, kind }) => ({
    event: 'decision_cancelled',
    team,
    entity: { type: 'decision', id: key, name: title },
    details: { kind, cause },
  }))
}

/** The same for all that a team still asks. */
export async function cancelDecisionsOfTeam(
  tx: Tx,
  workspaceId: string,
  team: { id: string; slug: string },
  cause: CancelCause,
): Promise<Entry[]> {
  const cancelled = await closeOfTeam(tx, workspaceId, team.id)
  return cancelled.map(({ key, title, kind }) => ({
    event: 'decision_cancelled',
    team: team.slug,
    entity: { type: 'decision', id: key, name: title },
    details: { kind, cause },
  }))
}
