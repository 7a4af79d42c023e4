import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { cancelProposal } from '../decisions/cancel.ts'
import { raiseDecision } from '../decisions/raise.ts'
import type { Proposal } from '../ports/work.ts'
import { insertProposal, lapseProposals } from './store.ts'

/** Asks a person whether something is worth a story. What was proposed once is not proposed again, whatever came of it. */
export async function propose(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  proposal: Proposal,
): Promise<Entry[]> {
  const at = ctx.clock.now()
  const id = newId(at)
  if (!(await insertProposal(tx, { ...proposal, id, workspaceId: ctx.workspaceId, teamId: team.id, at })))
    return []
  const raised = await raiseDecision(ctx, tx, {
    kind: proposal.kind,
    title: proposal.title,
    facts: { body: proposal.body },
    team,
    story: null,
    run: null,
    proposalId: id,
  })
  return raised.entries
}

/** Takes proposals of a kind back whose cause is gone. */
export async function withdrawProposals(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  kind: Proposal['kind'],
  because: string,
): Promise<Entry[]> {
  const lapsed = await lapseProposals(tx, ctx.workspaceId, team.id, kind, ctx.clock.now())
  const entries = await Promise.all(
    lapsed.map((id) => cancelProposal(tx, ctx.workspaceId, id, team.slug, because)),
  )
  return entries.flat()
}
