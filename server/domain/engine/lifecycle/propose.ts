import { storyLengths } from '@signalbox/contract/limits.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Proposal } from '../../ports/work.ts'
import type { Entry } from '../../record/audit/change.ts'
import { checkedText } from '../../text.ts'
import type { Asked } from '../../work/decisions/facts.ts'
import { checkedStory } from '../../work/stories/checked.ts'
import { type CancelCause, cancelProposal } from './cancel.ts'
import { insertProposal, lapseProposals, type NewProposal } from './proposal-store.ts'
import { raiseDecision } from './raise.ts'

/**
 * Asks a person whether something is worth a story. What was proposed once is not proposed again, whatever the answer
 * was.
 */
export async function propose(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  { kind, fingerprint, title, body, story }: Proposal,
): Promise<Entry[]> {
  // A worker proposes only these kinds: what follows from an incident is not its to propose.
  if (!(proposable as string[]).includes(kind))
    throw new DomainError('invalid_request', `kind must be one of ${proposable.join(', ')}.`)
  const proposal = { fingerprint, title, body, story, incidentId: null, alertFingerprints: [] }
  return (await ask(ctx, tx, team, proposal, { kind, facts: { body } }))?.entries ?? []
}
const proposable: Proposal['kind'][] = ['maintenance_proposal', 'strategy_proposal', 'main_red_incident']

type Proposed = Omit<NewProposal, 'kind'>
type Question = Extract<Asked, { kind: NewProposal['kind'] }>

/** The same about an incident. Null when it was proposed before. */
export const proposeOnIncident = (
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  proposal: Proposed & { incidentId: string },
  question: Question,
): Promise<{ key: string; entries: Entry[] } | null> => ask(ctx, tx, team, proposal, question)

async function ask(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  proposal: Proposed,
  question: Question,
): Promise<{ key: string; entries: Entry[] } | null> {
  const at = ctx.clock.now()
  const id = newId(at)
  const made = checked(proposal)
  const row = { ...made, kind: question.kind, id, teamId: team.id, at }
  if (!(await insertProposal(tx, ctx.workspaceId, row))) return null
  return raiseDecision(ctx, tx, {
    ...question,
    title: made.title,
    team,
    story: null,
    run: null,
    proposalId: id,
    ...(proposal.incidentId ? { incidentId: proposal.incidentId } : {}),
  })
}

/** Refuses what could not be filed, while the proposer can still fix it. */
const checked = (proposal: Proposed): Proposed => ({
  ...proposal,
  title: checkedText('title', proposal.title.replace(/\s+/g, ' '), { least: 1, most: storyLengths.title }),
  story: proposal.story && checkedStory(proposal.story),
})

/** Takes proposals back whose cause is gone: all of a kind, or those about an incident. */
export async function withdrawProposals(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string },
  about: { kind: Proposal['kind']; incidentId?: string },
  cause: CancelCause,
): Promise<Entry[]> {
  const lapsed = await lapseProposals(tx, ctx.workspaceId, team.id, about, ctx.clock.now())
  const entries = await Promise.all(lapsed.map((id) => cancelProposal(ctx, tx, id, team.slug, cause)))
  return entries.flat()
}
