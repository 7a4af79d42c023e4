import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { withdrawProposals } from '../engine/propose.ts'
import { addEffect } from '../outbox/add.ts'
import type { Performer } from '../outbox/perform.ts'
import { holdTeam } from '../teams/lock.ts'
import { appendToTimeline } from '../timeline/append.ts'
import { selectMootTeam } from './store.ts'

/**
 * What an incident that is over no longer needs an answer to: whether somebody looks at a cause outside the code.
 * Questions about the code stay. That an alert has recovered mends nothing there, and a fix that was started without
 * asking goes on as well.
 *
 * Wanted here and done apart: whoever answers holds the team, the decision, and then the incident, and whoever
 * understands signals holds the incident already.
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

/** Takes the question back, unless somebody was quicker to answer it. */
export const withdrawQuestion: Performer<'withdraw_question'> = async (ctx, effect) => {
  const { incident, team } = effect.data
  return {
    hold: (tx) => holdTeam(tx, ctx.workspaceId, team.id),
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
