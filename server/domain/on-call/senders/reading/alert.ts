import type { Alert } from '@signalbox/contract/signal.ts'
import { type Fields, isObject, parseBody } from './json.ts'
import { labelsFrom, type Pair } from './labels.ts'
import { linksFrom, webAddress } from './links.ts'
import type { Delivered, Format, ReadAlert, Reading } from './reading.ts'
import type { Rated } from './severity.ts'
import { firstLine, hasText, paragraphs, textOf } from './text.ts'
import { instant } from './times.ts'

const mostTitleCharacters = 300
const mostNameCharacters = 200
const mostDescriptionCharacters = 10_000
const mostProblemCharacters = 1_000

/** Where a sender keeps what an alert consists of. Where there are several places, the first with any text counts. */
interface Found {
  title: readonly unknown[]
  status: Alert['status']
  rated: Rated
  fingerprint: string
  service?: readonly unknown[]
  environment?: readonly unknown[]
  /** One below the other. */
  description?: readonly unknown[]
  /** Each a link if it is an address, and otherwise a part of the description. */
  runbooks?: readonly unknown[]
  startedAt?: unknown
  endedAt?: unknown
  occurredAt?: unknown
  labels?: Iterable<Pair>
  links?: Iterable<Pair>
  /** What addresses without a host belong to. */
  base?: unknown
  updateOnly?: boolean
  senderId?: string
}

/** The one place where the limits of an alert are kept, whatever a sender wrote. */
export function alertFrom(found: Found): ReadAlert {
  const { runbooks = [] } = found
  const cuts = new Set<string>()
  const tell = (sentence: string) => cuts.add(sentence)
  const cutAt = (what: string, most: number) => () =>
    tell(`The ${what} was cut at ${most.toLocaleString('en')} characters.`)
  const name = (what: 'service' | 'environment') =>
    firstLine(found[what] ?? [], mostNameCharacters, cutAt(what, mostNameCharacters)) || null
  const written = runbooks.filter((one) => hasText(one) && webAddress(one, found.base) === null)
  const description = [...(found.description ?? []), ...written.map((one) => `Runbook: ${textOf(one)}`)]
  return {
    title:
      firstLine(found.title, mostTitleCharacters, cutAt('title', mostTitleCharacters)) || 'Untitled alert',
    status: found.status,
    severity: found.rated.severity,
    fingerprint: found.fingerprint,
    service: name('service'),
    environment: name('environment'),
    description: together(description, cutAt('description', mostDescriptionCharacters)) || null,
    startedAt: instant(found.startedAt),
    endedAt: instant(found.endedAt),
    labels: labelsFrom(found.labels ?? [], tell),
    links: linksFrom(
      [...(found.links ?? []), ...runbooks.map((one) => ['Runbook', one] as const)],
      found.base,
      tell,
    ),
    cuts: [...cuts],
    severityGiven: found.rated.severityGiven,
    occurredAt: instant(found.occurredAt),
    updateOnly: found.updateOnly ?? false,
    isTest: false,
    // It becomes part of an address at the sender's API.
    senderId: found.senderId !== undefined && /^[\w-]{1,100}$/.test(found.senderId) ? found.senderId : null,
  }
}

export const makeReading = (part: Partial<Reading>): Reading => ({
  alerts: [],
  test: false,
  problem: null,
  deliveryId: null,
  handshake: null,
  ...part,
})

/** A format of senders whose body is a JSON object. */
export const objectFormat =
  (read: (body: Fields, delivered: Delivered) => Reading): Format =>
  (delivered) => {
    const parsed = parseBody(delivered.body)
    if ('problem' in parsed) return makeReading({ problem: parsed.problem })
    if (!isObject(parsed.value)) return makeReading({ problem: 'The body is JSON, but not an object.' })
    return read(parsed.value, delivered)
  }

/** One sentence after the other; of many faults, the first few show what is wrong. */
export function problemFrom(faults: readonly string[]): string | null {
  if (faults.length === 0) return null
  const shown = faults.slice(0, 3).join(' ')
  const more = faults.length > 3 ? ` There are ${faults.length - 3} more faults like these.` : ''
  return paragraphs(`${shown}${more}`, mostProblemCharacters)
}

/** Several texts as one, with an empty line between. If they do not fit, none of them takes the room of another. */
function together(texts: readonly unknown[], onCut: () => void): string {
  const said = texts.filter(hasText)
  const room = Math.floor((mostDescriptionCharacters + 2) / said.length) - 2
  return said.map((text) => paragraphs(text, room, onCut)).join('\n\n')
}
