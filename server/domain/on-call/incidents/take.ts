import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { at, first, lockOpenForPerson, personOf } from './lock.ts'
import { recordAct } from './record-act.ts'
import { updateHandled } from './store.ts'

/** A person takes an incident, possibly from someone else. `from` is who had it when they looked; null for no one. */
export async function takeIncident(ctx: Context, key: string, from: string | null): Promise<void> {
  requireRole(ctx, 'member', 'take an incident')
  const person = personOf(ctx)
  await change(ctx, async (tx) => {
    const incident = await lockOpenForPerson(ctx, tx, key)
    const { assignee } = incident
    if (assignee?.id === person.id) return { value: undefined, audit: [] }
    if (assignee && assignee.id !== from) throw first(`${assignee.by} took ${key} at ${at(assignee)}.`)
    await updateHandled(tx, ctx.workspaceId, incident.id, {
      assigneeId: person.id,
      assignedAt: ctx.clock.now(),
    })
    const text = assignee ? `took over from ${assignee.by}` : 'took the incident'
    const entry = await recordAct(
      ctx,
      tx,
      incident,
      { type: 'taken', text },
      {
        change: 'taken',
        changes: [{ field: 'assignee', before: assignee?.by ?? null, after: person.name }],
      },
    )
    const people = assignee ? [{ id: assignee.id, name: assignee.by }] : []
    return { value: undefined, audit: { ...entry, people } }
  })
}
