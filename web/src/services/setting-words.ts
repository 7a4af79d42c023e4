import type { OnCallHours, OnCallSettings } from '@signalbox/contract/service.ts'
import { severityWords } from '../words/incidents.tsx'

/** The seven settings: their names, their defaults and what each does, in a sentence. */
export const settingWords: Record<keyof OnCallSettings, { name: string; default: string; does: string }> = {
  observeOnly: {
    name: 'Observe only',
    default: 'Off',
    does: 'On: incidents are opened, investigated and posted, and people are notified, but no fix is started, no revert is proposed and no alert is changed in the alerting tool.',
  },
  startFixes: {
    name: 'Start urgent fixes automatically',
    default: 'Off',
    does: 'For incidents caused by code, without a suspect merge. On: an expedite story is filed and the fix starts. Off: a decision asks first.',
  },
  updateAlerts: {
    name: 'Acknowledge and resolve alerts in the source',
    default: 'Off',
    does: 'For PagerDuty and Opsgenie sources with API credentials: an alert is acknowledged when its investigation starts and resolved when its incident is. Off: alerts are never touched there.',
  },
  lowestSeverity: {
    name: 'Lowest severity that opens an incident',
    default: 'High',
    does: 'Alerts below it are recorded but don’t open incidents. Alerts of any severity join an open incident.',
  },
  hours: {
    name: 'On-call hours',
    default: 'Always',
    does: 'Outside these hours, alerts are recorded but don’t open incidents.',
  },
  notify: {
    name: 'Who gets notified',
    default: 'No one',
    does: 'They’re notified when an incident opens and when it’s resolved, in the app and by email, and named in the incident post.',
  },
  places: {
    name: 'Incident channels',
    default: 'Every channel of the team',
    does: 'Where incidents are posted, one thread per channel.',
  },
}

export const weekdayWords: Record<OnCallHours['days'][number], string> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
}
export const weekdayList = Object.keys(weekdayWords) as OnCallHours['days']

/** What hours that are being chosen still lack, if anything. */
export function missingIn(hours: OnCallHours | null): string | false {
  if (!hours) return false
  if (hours.days.length === 0) return 'Choose at least one day.'
  return (hours.start === '' || hours.end === '') && 'Choose when they start and end.'
}

/** Hours as a person says them. An end before the start, or at it, is on the next day. */
export function hoursWords(hours: OnCallHours | null): string {
  if (!hours) return 'Always'
  if (missingIn(hours)) return 'incomplete'
  const days = hours.days.length === 7 ? 'every day' : hours.days.map((day) => weekdayWords[day]).join(', ')
  const next = hours.end <= hours.start ? ' the next day' : ''
  return `${days}, ${hours.start} to ${hours.end}${next}, ${hours.timeZone}`
}

/** What a setting says now, with names in place of ids. */
export function settingValue<K extends keyof OnCallSettings>(
  name: K,
  value: OnCallSettings[K],
  nameOf: (id: string) => string,
): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (name === 'lowestSeverity') return severityWords[value as OnCallSettings['lowestSeverity']]
  if (name === 'hours') return hoursWords(value as OnCallHours | null)
  if (value === null) return 'Every channel of the team'
  const ids = value as string[]
  return ids.length === 0 ? (name === 'notify' ? 'No one' : 'None') : ids.map(nameOf).join(', ')
}
