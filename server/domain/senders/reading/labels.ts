import { line, textOf } from './text.ts'

export type Pair = readonly [name: string, value: unknown]

const mostLabels = 100
const mostKeyCharacters = 200
const mostValueCharacters = 2_000

/** The pairs that have text on both sides; what is nested is left out. */
export function labelsFrom(pairs: Iterable<Pair>): Record<string, string> {
  const labels = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (labels.size === mostLabels) break
    const key = line(name, mostKeyCharacters)
    const text = line(value, mostValueCharacters)
    if (key !== '' && text !== '') labels.set(key, text)
  }
  return Object.fromEntries(labels)
}

/** `service:checkout` and bare words, in a list or in a text with commas; a key that is repeated keeps all its values. */
export function tagPairs(tags: unknown): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const tag of tagList(tags)) {
    const colon = tag.indexOf(':')
    const [key, value] = colon > 0 ? [tag.slice(0, colon).trim(), tag.slice(colon + 1).trim()] : ['tags', tag]
    const before = pairs.get(key)
    if (value === '' || (before?.length ?? 0) > mostValueCharacters) continue
    pairs.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return pairs
}

function tagList(tags: unknown): string[] {
  const list = Array.isArray(tags) ? tags.slice(0, 1_000).map(textOf) : textOf(tags).split(',', 1_000)
  return list.map((tag) => tag.trim()).filter((tag) => tag !== '')
}
