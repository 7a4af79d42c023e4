import type { Hunk, Line } from './hunks.ts'
import { pairsOf } from './hunks.ts'

/** From letter to letter of a line, the second not included. */
export type Stretch = readonly [from: number, to: number]

/** Longer than anyone reads word by word. */
const mostLetters = 2_000
/** How much of two lines has to be the same for one to be another version of the other. */
const leastAlike = 0.3

const parts = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu

const wordsOf = (text: string): string[] => text.match(parts) ?? []

/**
 * What of two lines differs, by words. The same words at both ends are found by looking, those in between by their
 * longest common sequence; null where the lines have too little in common to be two versions of one.
 */
export function changedWords(before: string, after: string): [Stretch[], Stretch[]] | null {
  if (before === after || before.length > mostLetters || after.length > mostLetters) return null
  const [old, now] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const middle = [old.slice(start, old.length - end), now.slice(start, now.length - end)] as const
  const [keptOld, keptNow] = common(...middle)
  const marks = [marked(old, start, keptOld), marked(now, start, keptNow)] as [Stretch[], Stretch[]]
  const differing = lengthOf(marks[0]) + lengthOf(marks[1])
  const letters = before.trim().length + after.trim().length
  return differing > letters * (1 - leastAlike) ? null : marks
}

/** More than this many steps, and the middle counts as changed as a whole. */
const mostSteps = 40_000

/** For each word of both whether it is in their longest common sequence. */
function common(old: string[], now: string[]): [boolean[], boolean[]] {
  const kept: [boolean[], boolean[]] = [old.map(() => false), now.map(() => false)]
  if (old.length * now.length > mostSteps) return kept
  const width = now.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1)
      lengths[a * width + b] =
        old[a] === now[b]
          ? lengths[(a + 1) * width + b + 1]! + 1
          : Math.max(lengths[(a + 1) * width + b]!, lengths[a * width + b + 1]!)
  for (let a = 0, b = 0; a < old.length && b < now.length; ) {
    if (old[a] === now[b]) {
      kept[0][a++] = true
      kept[1][b++] = true
    } else if (lengths[(a + 1) * width + b]! >= lengths[a * width + b + 1]!) a += 1
    else b += 1
  }
  return kept
}

/** Where the words are that are not kept, neighbours as one. */
function marked(words: string[], start: number, kept: boolean[]): Stretch[] {
  const stretches: [number, number][] = []
  let at = 0
  words.forEach((word, index) => {
    const isChanged = kept[index - start] === false
    const last = stretches.at(-1)
    if (isChanged && last?.[1] === at) last[1] = at + word.length
    else if (isChanged) stretches.push([at, at + word.length])
    at += word.length
  })
  return stretches
}

const lengthOf = (stretches: Stretch[]) => stretches.reduce((sum, [from, to]) => sum + to - from, 0)

const known = new WeakMap<Hunk, Map<Line, Line>>()
const found = new WeakMap<Line, Stretch[] | null>()

/** What of a line differs from the one it stands for. Looked for when the line is shown, and once. */
export function marksOf(hunk: Hunk, line: Line): Stretch[] {
  if (line.kind === 'context') return []
  if (!found.has(line)) {
    const other = counterparts(hunk).get(line)
    const [before, after] = line.kind === 'removed' ? [line, other] : [other, line]
    const marks = before && after ? changedWords(before.text, after.text) : null
    if (before) found.set(before, marks?.[0] ?? null)
    if (after) found.set(after, marks?.[1] ?? null)
  }
  return found.get(line) ?? []
}

function counterparts(hunk: Hunk): Map<Line, Line> {
  const there = known.get(hunk)
  if (there) return there
  const others = new Map<Line, Line>()
  for (const [before, after] of pairsOf(hunk.lines))
    if (before && after && before !== after) {
      others.set(before, after)
      others.set(after, before)
    }
  known.set(hunk, others)
  return others
}

/** A piece of text cut where marks begin and end; `at` is where in its line it begins. */
export function cutAtMarks(
  text: string,
  at: number,
  marks: Stretch[],
): { text: string; isMarked: boolean }[] {
  const pieces: { text: string; isMarked: boolean }[] = []
  let done = 0
  const put = (to: number, isMarked: boolean) => {
    if (to > done) pieces.push({ text: text.slice(done, to), isMarked })
    done = Math.max(done, to)
  }
  for (const [from, to] of marks) {
    if (to <= at || from >= at + text.length) continue
    put(Math.max(0, from - at), false)
    put(Math.min(text.length, to - at), true)
  }
  put(text.length, false)
  return pieces
}
