import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { requireRole } from '../roles.ts'
import { at, first, holdOpenForPerson, personOf } from './hold.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { recordAct } from './record-act.ts'
import { updateHandled } from './store.ts'

/** A person has seen an incident and says so: here, in its places, and in the sender where the service allows it. */
export async function acknowledgeIncident(ctx: Context, key: string): Promise<void> {
  requireRole(ctx, 'member', 'acknowledge an incident')
  const person = personOf(ctx)
  await change(ctx, async (tx) => {
    const incident = await holdOpenForPerson(ctx, tx, key)
    const { acknowledged } = incident
    if (acknowledged) throw first(`${acknowledged.by} acknowledged ${key} at ${at(acknowledged)}.`)
    await updateHandled(tx, ctx.workspaceId, incident.id, {
      acknowledged_by: person.id,
      acknowledged_at: ctx.clock.now(),
    })
    await planAlertUpdates(ctx, tx, incident, 'acknowledge')
    const step = { type: 'acknowledged', text: 'acknowledged the incident' }
    return {
      value: undefined,
      audit: await recordAct(ctx, tx, incident, step, { change: 'acknowledged' }),
    }
  })
}
