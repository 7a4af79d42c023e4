import { type SenderKind, type Severity, severities } from '@signalbox/contract/signal.ts'

/** A severity, and whether the sender said it. */
export interface Rated {
  severity: Severity
  severityGiven: boolean
}

type Words = Readonly<Record<string, Severity>>

/** What the words of all tools mean. Anything else is medium. */
const words: Words = {
  critical: 'critical',
  p1: 'critical',
  sev1: 'critical',
  'major outage': 'critical',
  high: 'high',
  error: 'high',
  p2: 'high',
  'partial outage': 'high',
  medium: 'medium',
  warning: 'medium',
  p3: 'medium',
  'degraded performance': 'medium',
  low: 'low',
  minor: 'low',
  p4: 'low',
  info: 'info',
  p5: 'info',
  maintenance: 'info',
}

/** What a sender says differently: the same word is not the same severity everywhere. */
const own: Partial<Record<SenderKind, Words>> = {
  pagerduty: { 'sev 1': 'critical' },
  sentry: { fatal: 'critical', debug: 'info' },
  opsgenie: { 1: 'critical', 2: 'high', 3: 'medium', 4: 'low', 5: 'info' },
  azure_monitor: {
    ...{ sev0: 'critical', sev1: 'high', sev2: 'medium', sev3: 'low', sev4: 'info' },
    ...{ 0: 'critical', 1: 'high', 2: 'medium', 3: 'low', 4: 'info' },
  },
  // On a status page, "major" is a partial outage; a major outage is called critical.
  statuspage: { major: 'high', none: 'info', 'under maintenance': 'info' },
}

const tables = new Map<SenderKind, ReadonlyMap<string, Severity>>()

function tableOf(kind: SenderKind): ReadonlyMap<string, Severity> {
  const known = tables.get(kind) ?? new Map(Object.entries({ ...words, ...own[kind] }))
  tables.set(kind, known)
  return known
}

/** `Major_Outage`, `major-outage` and `major outage` are one word. */
const spoken = (word: string) =>
  word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')

/** Longer than any word of the table; a sender's text may be as long as a whole body. */
const longestWord = 100

/** The severity that the first word given means to this sender. */
export function rate(kind: SenderKind, ...given: unknown[]): Rated {
  for (const value of given) {
    const word =
      typeof value === 'string' || typeof value === 'number'
        ? spoken(String(value).slice(0, longestWord))
        : ''
    if (word !== '') return { severity: tableOf(kind).get(word) ?? 'medium', severityGiven: true }
  }
  return notSaid
}

export const notSaid: Rated = { severity: 'medium', severityGiven: false }

/** The worst severity written into a text as a tag, such as `[critical]`; null when there is none. */
export function severityTagged(kind: SenderKind, text: string): Severity | null {
  const table = tableOf(kind)
  const found = new Set<Severity | undefined>()
  for (const [, tag] of text.matchAll(/\[([^[\]]{1,100})\]/g)) found.add(table.get(spoken(tag!)))
  return severities.find((severity) => found.has(severity)) ?? null
}
