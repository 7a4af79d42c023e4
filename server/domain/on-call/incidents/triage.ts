import { type Severity, severities } from '@signalbox/contract/signal.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import { isOnCall } from '../services/hours.ts'
import type { WatchedService } from './store.ts'

/** What becomes of an alert that fires: it joins the service's open incident, opens one, or neither, and why. */
export type Fate = 'joins' | 'opens' | { reason: string }

export const isWorse = (one: Severity, other: Severity) => severities.indexOf(one) < severities.indexOf(other)

/** The rules, in their order. What the app says would happen comes from here too. */
export function triageAlert(
  service: Pick<WatchedService, 'lowestSeverity' | 'hours'>,
  alert: { severity: Severity } & Pick<ReadAlert, 'isTest' | 'opensTest' | 'updateOnly'>,
  { hasOpen, at }: { hasOpen: boolean; at: Date },
): Fate {
  if (alert.isTest && !alert.opensTest) return { reason: 'Test alerts don’t open incidents.' }
  // At any hour, but never into what is real.
  if (alert.isTest)
    return hasOpen ? { reason: 'An incident is open, and test alerts don’t join one.' } : 'opens'
  if (hasOpen) return 'joins'
  if (alert.updateOnly)
    return { reason: 'It was only acknowledged or changed in the sender, which doesn’t open an incident.' }
  if (isWorse(service.lowestSeverity, alert.severity))
    return {
      reason: `Its severity (${alert.severity}) is below ${service.lowestSeverity}, the lowest that opens an incident.`,
    }
  if (!isOnCall(service.hours, at)) return { reason: 'It arrived outside on-call hours.' }
  return 'opens'
}
