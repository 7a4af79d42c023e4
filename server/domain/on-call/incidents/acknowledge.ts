import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { at, first, lockOpenForPerson, personOf } from './lock.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { recordAct } from './record-act.ts'
import { updateHandled } from './store.ts'

/** A person has seen an incident and says so: here, in its places, and in the sender where the service allows it. */
export async function acknowledgeIncident(ctx: Context, key: string): Promise<void> {
  requireRole(ctx, 'member', 'acknowledge an incident')
  const person = personOf(ctx)
  await change(ctx, async (tx) => {
    const incident = await lockOpenForPerson(ctx, tx, key)
    const { acknowledged } = incident
    if (acknowledged) throw first(`${acknowledged.by} acknowledged ${key} at ${at(acknowledged)}.`)
    await updateHandled(tx, ctx.workspaceId, incident.id, {
      acknowledgedBy: person.id,
      acknowledgedAt: ctx.clock.now(),
    })
    await planAlertUpdates(ctx, tx, incident, 'acknowledge')
    const step = { type: 'acknowledged', text: 'acknowledged the incident' }
    return {
      value: undefined,
      audit: await recordAct(ctx, tx, incident, step, { change: 'acknowledged' }),
    }
  })
}
