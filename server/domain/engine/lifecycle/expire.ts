import type { Db } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { followInChat } from '../../work/chat/show-decision.ts'
import { askerOf } from '../../work/decisions/facts.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { lockRun } from '../machine/lock.ts'
import { advance } from './advance.ts'
import { markExpired, selectAnswerable, selectExpiredOfAllWorkspaces } from './decision-store.ts'
import { decideProposal } from './proposal-store.ts'

/** Closes a decision that no one answered in time; its run ends. Does nothing when an answer was quicker. */
export async function expireDecision(ctx: Context, key: string): Promise<void> {
  const decision = await selectAnswerable(ctx.db, ctx.workspaceId, key)
  if (!decision) return
  await change(ctx, async (tx) => {
    if (decision.proposalId) await lockTeamById(tx, ctx.workspaceId, decision.team.id)
    const run = decision.runId ? await lockRun(tx, ctx.workspaceId, { id: decision.runId }) : null
    if (!(await markExpired(tx, ctx.workspaceId, decision.id))) return { value: undefined, audit: [] }
    await followInChat(ctx, tx, key, 'expired')
    if (decision.proposalId)
      await decideProposal(tx, ctx.workspaceId, decision.proposalId, 'lapsed', ctx.clock.now())
    // A run does not wait for what an agent asks from outside.
    const waits = run && !askerOf(decision.kind, decision.facts)
    const advanced = waits && (await advance(ctx, tx, run, { type: 'decision_expired' }))
    return {
      value: undefined,
      audit: [
        {
          event: 'decision_expired',
          team: decision.team.slug,
          runKey: decision.runKey,
          entity: { type: 'decision', id: decision.key, name: decision.title },
          details: { kind: decision.kind },
        },
        ...(advanced ? advanced.entries : []),
      ],
    }
  })
}

/** Decisions whose time is over: for the sweeper. */
export const expiredDecisions = (db: Db, now: Date, most: number) =>
  selectExpiredOfAllWorkspaces(db, now, most)
