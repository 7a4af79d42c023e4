import type { Alert } from '@signalbox/contract/signal.ts'
import { type Fields, isObject, parseBody } from './json.ts'
import { labelsFrom, type Pair } from './labels.ts'
import { linksFrom } from './links.ts'
import type { Delivered, Format, ReadAlert, Reading } from './reading.ts'
import type { Rated } from './severity.ts'
import { firstLine, paragraphs } from './text.ts'
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
  description?: unknown
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
  return {
    title: firstLine(found.title, mostTitleCharacters) || 'Untitled alert',
    status: found.status,
    severity: found.rated.severity,
    fingerprint: found.fingerprint,
    service: firstLine(found.service ?? [], mostNameCharacters) || null,
    environment: firstLine(found.environment ?? [], mostNameCharacters) || null,
    description: paragraphs(found.description, mostDescriptionCharacters) || null,
    startedAt: instant(found.startedAt),
    endedAt: instant(found.endedAt),
    labels: labelsFrom(found.labels ?? []),
    links: linksFrom(found.links ?? [], found.base),
    severityGiven: found.rated.severityGiven,
    occurredAt: instant(found.occurredAt),
    updateOnly: found.updateOnly ?? false,
    // It becomes part of an address at the sender's API.
    senderId: found.senderId !== undefined && /^[\w-]{1,100}$/.test(found.senderId) ? found.senderId : null,
  }
}

export const readingWith = (part: Partial<Reading>): Reading => ({
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
    if ('problem' in parsed) return readingWith({ problem: parsed.problem })
    if (!isObject(parsed.value)) return readingWith({ problem: 'The body is JSON, but not an object.' })
    return read(parsed.value, delivered)
  }

/** One sentence after the other; of many faults, the first few show what is wrong. */
export function problemFrom(faults: readonly string[]): string | null {
  if (faults.length === 0) return null
  const shown = faults.slice(0, 3).join(' ')
  const more = faults.length > 3 ? ` There are ${faults.length - 3} more faults like these.` : ''
  return paragraphs(`${shown}${more}`, mostProblemCharacters)
}

/** Several texts as one, with an empty line between. */
export const together = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n\n')
