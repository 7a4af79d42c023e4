import type { Severity } from '@signalbox/contract/signal.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { at, first, lockOpenForPerson, personOf } from './lock.ts'
import { recordAct } from './record-act.ts'
import { type HandledIncident, updateHandled } from './store.ts'

/**
 * A person says how severe an incident is. It stays so until an alert is worse than all that the incident has had.
 * `from` is the severity that they saw.
 */
export async function changeSeverity(
  ctx: Context,
  key: string,
  { from, severity }: { from: Severity; severity: Severity },
): Promise<void> {
  requireRole(ctx, 'member', 'change the severity of an incident')
  personOf(ctx)
  await change(ctx, async (tx) => {
    const incident = await lockOpenForPerson(ctx, tx, key)
    if (incident.severity !== from) throw first(whoWasFirst(incident))
    if (severity === from) throw new DomainError('conflict', `The severity of ${key} is already ${severity}.`)
    await updateHandled(tx, ctx.workspaceId, incident.id, { severity })
    const step = { type: 'severity_changed', text: `changed the severity from ${from} to ${severity}` }
    return {
      value: undefined,
      audit: await recordAct(ctx, tx, incident, step, {
        change: 'severity_changed',
        changes: [{ field: 'severity', before: from, after: severity }],
      }),
    }
  })
}

const whoWasFirst = ({ key, severity, severityChanged }: HandledIncident): string =>
  severityChanged
    ? `The severity of ${key} is ${severity} now; ${severityChanged.by} changed it last, at ${at(severityChanged)}.`
    : `The severity of ${key} is ${severity} now: another alert raised it.`
