import { type Severity, severities } from '@signalbox/contract/signal.ts'

/** A severity, and whether the sender said it. */
export interface Rated {
  severity: Severity
  severityGiven: boolean
}

type Words = Readonly<Record<string, Severity>>

/** What the words of all tools mean. Anything else is medium. */
const shared = new Map<string, Severity>(
  Object.entries({
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
  } as const),
)

/** `Major_Outage`, `major-outage` and `major outage` are one word. */
const spoken = (word: string) =>
  word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')

/** Longer than any word of the table; a sender's text may be as long as a whole body. */
const longestWord = 100

/** The severity that the first known word means, of all that is given. */
type Rate = (...given: unknown[]) => Rated

/** For a sender that says some words differently: the same word is not the same severity everywhere. */
export function rateWith(own: Words): Rate {
  const table = new Map([...shared, ...Object.entries(own)])
  return (...given) => {
    const said = given
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .map((value) => spoken(String(value).slice(0, longestWord)))
      .filter((words) => words !== '')
    for (const words of said) {
      const severity = table.get(words) ?? severityWithin(words, table)
      if (severity) return { severity, severityGiven: true }
    }
    return { ...unstatedSeverity, severityGiven: said.length > 0 }
  }
}

/** `P1 - Critical` says it twice. A number among other words may count anything. */
function severityWithin(words: string, table: ReadonlyMap<string, Severity>): Severity | undefined {
  const each = words.split(/[^a-z0-9]+/)
  for (const [position, word] of each.entries()) {
    const known =
      table.get(`${word} ${each[position + 1]}`) ?? (/^\d*$/.test(word) ? undefined : table.get(word))
    if (known) return known
  }
  return undefined
}

export const rate = rateWith({})

export const unstatedSeverity: Rated = { severity: 'medium', severityGiven: false }

/** The worst severity written into a text as a tag, such as `[critical]`; null when there is none. */
export function severityTagged(text: string): Severity | null {
  const found = new Set<Severity | undefined>()
  for (const [, tag] of text.matchAll(/\[([^[\]]{1,100})\]/g)) found.add(shared.get(spoken(tag!)))
  return severities.find((severity) => found.has(severity)) ?? null
}
