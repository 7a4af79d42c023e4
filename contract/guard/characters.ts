import { isLookalike, isOtherScript } from './lookalike.ts'

/** A place in a text where a reader sees something else than a machine reads. */
export interface Place {
  line: number
  /** What is there: a code point, or a word. */
  what: string
}

/** What was found in the new lines of a text: the first places, and how many there are. */
export interface Places {
  first: Place[]
  count: number
}

const mostPlaces = 3
const mostCounted = 1_000

/**
 * Everything that is not seen, that changes the order of what is seen, or that ends a line for some readers and not for
 * others. Form feeds and tabs are ordinary.
 */
const unseen =
  /(?![\t\n\f\r])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffc\u2800]|\r(?!\n)/u
const allUnseen = new RegExp(unseen.source, 'gu')

const letter = (scripts: string[]) =>
  new RegExp(`^[${scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]$`, 'u')

/** Scripts in which joiners are part of spelling. */
const joining = letter(
  [
    [
      'Arabic',
      'Syriac',
      'Mongolian',
      'Nko',
      'Devanagari',
      'Bengali',
      'Gurmukhi',
      'Gujarati',
      'Oriya',
      'Tamil',
    ],
    ['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan', 'Balinese', 'Javanese'],
  ].flat(),
)
/** Scripts that are written without spaces, where a break may be marked. */
const spaceless = letter(['Thai', 'Lao', 'Khmer', 'Myanmar'])
const han = letter(['Han'])
const mongolian = letter(['Mongolian'])
const braille = letter(['Braille'])
const pictograph = /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f|\u20e3)$/u
const symbol = /^[\p{S}\p{Extended_Pictographic}]$/u
const prose = /\.(?:md|mdx|markdown|txt|rst|adoc|html?|po|pot|xlf|xliff|tex|srt|vtt)$/i
/** The flags of England, Scotland and Wales are the only ones that are spelled in tags. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu

/** Whether a character that is not seen is part of how people write. */
function isOrdinary(found: string, before: string, after: string, path: string): boolean {
  switch (found) {
    case '\u200d':
      return joining.test(before) || (pictograph.test(before) && pictograph.test(after))
    case '\u200c':
      return joining.test(before)
    case '\u200b':
      return spaceless.test(before) || spaceless.test(after)
    case '\u00ad':
      return prose.test(path)
    case '\u2800':
      return braille.test(before) || braille.test(after)
    case '\ufe0e':
    case '\ufe0f':
      return symbol.test(before) || (/^[0-9#*]$/.test(before) && after === '\u20e3')
  }
  if (/^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u.test(found)) return han.test(before)
  if (/^[\u180b-\u180d\u180f]$/.test(found)) return mongolian.test(before)
  return false
}

/** Characters that are not seen in a line, as code points. */
function* hiddenIn(line: string, path: string): Generator<string> {
  if (!unseen.test(line)) return
  const plain = line.replace(flags, '\u{1f3f4}')
  for (const { 0: found, index } of plain.matchAll(allUnseen)) {
    const before = lastOf(plain.slice(Math.max(0, index - 2), index))
    const after = firstOf(plain.slice(index + found.length, index + found.length + 2))
    if (!isOrdinary(found, before, after, path)) yield codePoint(found)
  }
}

const firstOf = (text: string) => [...text][0] ?? ''
const lastOf = (text: string) => [...text].at(-1) ?? ''
const codePoint = (text: string) => `U+${text.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

const foreign = /[^\0-\u024f]/
const words = /[\p{L}\p{M}\p{N}_]+/gu

const longestWord = 40

/** Words of Latin letters in which some are those of another script that look the same. */
function* lookalikesIn(line: string): Generator<string> {
  if (!foreign.test(line)) return
  for (const [word] of line.matchAll(words))
    if (foreign.test(word) && /[a-z]/i.test(word) && isAlike(word)) yield `\`${word.slice(0, longestWord)}\``
}

/** Every foreign letter looks like a Latin one; a Russian word with a Latin name in it has others as well. */
function isAlike(word: string): boolean {
  const others = [...word].filter(isOtherScript)
  return others.length > 0 && others.every(isLookalike)
}

/** What is new in `after` of both. A mark at the very beginning says how the file is encoded. */
export function oddCharacters(
  before: string,
  after: string,
  path: string,
): { hidden: Places; lookalikes: Places } {
  const hidden: Places = { first: [], count: 0 }
  const lookalikes: Places = { first: [], count: 0 }
  if (!unseen.test(after) && !foreign.test(after)) return { hidden, lookalikes }
  const known = new Map<string, number>()
  for (const line of linesOf(before))
    if (foreign.test(line) || unseen.test(line)) known.set(line, (known.get(line) ?? 0) + 1)
  for (const [at, line] of linesOf(after).entries()) {
    const left = known.get(line) ?? 0
    if (left > 0) {
      known.set(line, left - 1)
      continue
    }
    note(hidden, at + 1, hiddenIn(line, path))
    note(lookalikes, at + 1, lookalikesIn(line))
  }
  return { hidden, lookalikes }
}

/** The end of a line belongs to it: otherwise a carriage return before it would stand alone. */
const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => `${line}\n`)

function note(places: Places, line: number, found: Iterable<string>): void {
  const told = new Set<string>()
  for (const what of found) {
    // So many are proof enough.
    if (++places.count >= mostCounted) return
    if (!told.has(what) && places.first.length < mostPlaces) places.first.push({ line, what })
    told.add(what)
  }
}

/** “line 3 (U+202E) and line 9 (U+2066), and 4 more”. */
export function placesInWords({ first, count }: Places): string {
  const told = first.map(({ line, what }) => `line ${line} (${what})`).join(', ')
  return count > first.length ? `${told} and ${count - first.length} more` : told
}
