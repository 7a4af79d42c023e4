import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import { announce } from './announce.ts'
import { lockOpenForPerson, personOf } from './lock.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { updateHandled } from './store.ts'
import { withdrawMootQuestion } from './withdraw-moot-question.ts'

/**
 * A person resolves an incident by hand and says why. Alerts that are still firing stay with it: they open nothing until
 * they have recovered once. Any other alert opens a new incident.
 */
export async function resolveIncident(ctx: Context, key: string, input: { reason: string }): Promise<void> {
  requireRole(ctx, 'member', 'resolve an incident')
  const person = personOf(ctx)
  const reason = checkedText('reason', input.reason, { least: 1, most: maxNoteLength })
  await change(ctx, async (tx) => {
    const incident = await lockOpenForPerson(ctx, tx, key)
    const { id, title, team, service, severity } = incident
    await updateHandled(tx, ctx.workspaceId, id, {
      status: 'resolved',
      resolvedAt: ctx.clock.now(),
      resolvedBy: person.id,
      resolvedReason: reason,
    })
    await appendToTimeline(ctx, tx, id, {
      type: 'resolved_by_hand',
      text: `resolved the incident: ${reason}`,
      data: { by: person.name },
    })
    await announce(ctx, tx, incident, 'resolved')
    await planAlertUpdates(ctx, tx, incident, 'resolve')
    await withdrawMootQuestion(ctx, tx, incident)
    return {
      value: undefined,
      audit: {
        event: 'incident_resolved',
        team,
        entity: { type: 'incident', id: key, name: title },
        details: { service: service.name, severity, reason },
      },
    }
  })
}
