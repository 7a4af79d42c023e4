import { createHash } from 'node:crypto'
import type { Delivered } from './reading.ts'
import { instant } from './times.ts'

const mostCharacters = 500

/** What tells alerts or deliveries apart, as it can be stored: the text itself, or its hash where it cannot be kept. */
export function identity(text: string): string {
  const kept = text.trim()
  const isStorable = kept.length <= mostCharacters && kept.isWellFormed() && !/\p{Cc}/u.test(kept)
  return isStorable ? kept : hashOf([kept])
}

/**
 * A delivery of a sender that numbers none: all of its body, if that says when it happened. No choice of fields would
 * do, as whatever is left out may be what differs; and without a time, the same words may well be news (it fires,
 * recovers and fires again).
 */
export const wholeBody = ({ body }: Delivered, ...times: unknown[]): string | null =>
  times.some((time) => instant(time) !== null) ? `body:${digestOf(body)}` : null

export const digestOf = (...parts: (Buffer | string)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

export const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** The same for the same pairs, in whatever order they came. */
export const hashOfPairs = (first: string, pairs: Iterable<readonly [string, string]>): string =>
  hashOf([first, ...[...pairs].map((pair) => JSON.stringify(pair)).sort()])
