import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { parseFacts, type Revert } from '../../work/decisions/facts.ts'
import { decideProposal } from '../lifecycle/proposal-store.ts'
import type { Action, Answered, Taken } from './option-action.ts'
import { runStep } from './run-step.ts'

/** A revert pull request is opened: of the run's merge, or of the one that an incident points to. */
export const openRevert: Action = async (ctx, tx, answered) =>
  answered.run
    ? runStep(ctx, tx, answered, { type: 'revert_approved' }, started)
    : revertSuspect(ctx, tx, answered)

const started = {
  type: 'revert_started',
  status: 'queued',
  message: 'A pull request to revert the merge is being opened.',
} as const

async function revertSuspect(ctx: Context, tx: Tx, { decision }: Answered): Promise<Taken> {
  await decideProposal(tx, ctx.workspaceId, decision.proposalId!, 'accepted', ctx.clock.now())
  await addEffect(ctx, tx, {
    kind: 'revert_merge',
    key: `revert_merge/${decision.id}`,
    data: revertOf(decision),
  })
  return { effects: [{ ...started, target: { type: 'team', id: decision.team.slug } }], entries: [] }
}

function revertOf({ key, kind, facts }: Answered['decision']): Revert {
  const asked = parseFacts(kind, facts)
  if (asked.kind === 'revert_approval' && asked.facts?.incident !== undefined) return asked.facts.revert
  throw new Error(`Decision ${key} does not say which merge to revert.`)
}
