import { createHash } from 'node:crypto'

const mostCharacters = 500

/** What tells alerts or deliveries apart, as it can be stored: the text itself, or its hash where it cannot be kept. */
export function identity(text: string): string {
  const kept = text.trim()
  const storable = kept.length <= mostCharacters && kept.isWellFormed() && !/\p{Cc}/u.test(kept)
  return storable ? kept : hashOf([kept])
}

/** An identity made of several values; null when one of them is missing. */
export const joined = (...parts: string[]): string | null =>
  parts.includes('') ? null : identity(parts.join(':'))

export const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** The same for the same pairs, in whatever order they came. */
export const hashOfPairs = (first: string, pairs: Iterable<readonly [string, string]>): string =>
  hashOf([first, ...[...pairs].map((pair) => JSON.stringify(pair)).sort()])
