import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { withdrawProposals } from '../../engine/lifecycle/propose.ts'
import { addEffect } from '../../record/outbox/add.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import { selectMootTeam } from './store.ts'

/**
 * Once an incident is over, no one needs to look at a cause outside the code, so that question is withdrawn. Questions
 * about the code stay: a recovered alert fixes nothing there, and a fix that was started without asking goes on as
 * well.
 *
 * Requested here but done separately, because locks are taken in a different order: an answer locks the team, the
 * decision and then the incident, while handling signals has the incident locked already.
 */
export async function withdrawMootQuestion(ctx: Context, tx: Tx, { id }: { id: string }): Promise<void> {
  const team = await selectMootTeam(tx, ctx.workspaceId, id)
  if (!team) return
  await addEffect(ctx, tx, {
    kind: 'withdraw_question',
    key: `withdraw_question/${id}`,
    data: { incident: id, team },
  })
}

/** Withdraws the question, unless someone has answered it first. */
export const withdrawQuestion: Performer<'withdraw_question'> = async (ctx, effect) => {
  const { incident, team } = effect.data
  return {
    lock: (tx) => lockTeamById(tx, ctx.workspaceId, team.id),
    async settle(tx) {
      const about = { kind: 'maintenance_proposal', incidentId: incident } as const
      const entries = await withdrawProposals(ctx, tx, team, about, 'incident_resolved')
      for (const { entity } of entries) {
        const text = `${entity.id} was cancelled, because the incident is over`
        await appendToTimeline(ctx, tx, incident, { type: 'withdrawn', text, data: { decision: entity.id } })
      }
      return entries
    },
  }
}
