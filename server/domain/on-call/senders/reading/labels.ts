import { line, textOf } from './text.ts'

export type Pair = readonly [name: string, value: unknown]

const mostLabels = 100
const mostKeyCharacters = 200
const mostValueCharacters = 2_000

/** The pairs that have text on both sides; what is nested is left out. What does not fit is told in sentences. */
export function labelsFrom(
  pairs: Iterable<Pair>,
  tell: (sentence: string) => void = () => {},
): Record<string, string> {
  const labels = new Map<string, string>()
  const longKeys: string[] = []
  const longValues: string[] = []
  let leftOut = 0
  for (const [name, value] of pairs) {
    if (labels.size === mostLabels) {
      if (textOf(name) !== '' && textOf(value) !== '') leftOut += 1
      continue
    }
    const key = line(name, mostKeyCharacters, () => longKeys.push(name))
    const text = line(value, mostValueCharacters, () => longValues.push(name))
    if (key !== '' && text !== '') labels.set(key, text)
  }
  tellCut(longKeys, mostKeyCharacters, tell)
  tellCut(longValues, mostValueCharacters, tell)
  if (leftOut > 0) tell(leftOutOf(leftOut, 'label', mostLabels))
  return Object.fromEntries(labels)
}

function tellCut(names: readonly string[], most: number, tell: (sentence: string) => void): void {
  if (names.length === 0) return
  const at = `cut at ${most.toLocaleString('en')} characters`
  const shown = names.slice(0, 5).map((name) => line(name, 41))
  if (names.length === 1) tell(`The label ${shown[0]} was ${at}.`)
  if (names.length > 1) tell(`${names.length} labels were ${at}: ${shown.join(', ')}.`)
}

export const leftOutOf = (count: number, noun: string, kept: number): string =>
  `${count} ${noun}${count === 1 ? ' was' : 's were'} left out: an alert has at most ${kept}.`

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
  const list = Array.isArray(tags) ? tags.map(textOf) : textOf(tags).split(',')
  return list.map((tag) => tag.trim()).filter((tag) => tag !== '')
}
