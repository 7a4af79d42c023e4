import type { LogPiece } from '@signalbox/contract/app/runs.ts'

type Origin = Pick<LogPiece, 'from' | 'attempt' | 'at'>

/** Pieces of a log in a row. Line `n` has the index `n - 1`; nothing is copied when more comes. */
export class LogBuffer {
  readonly lines: string[] = []
  /** In which colours lines were printed, by their number. */
  readonly colours = new Map<number, string>()
  /** Where each piece begins, for the time and the attempt of its lines. */
  readonly pieces: Origin[] = []

  get count(): number {
    return this.lines.length
  }

  /** What is known already is left out, so that a piece that comes twice is there once. */
  append({ from, attempt, at, lines, colours = {} }: LogPiece): void {
    const known = this.count + 1 - from
    // After a gap the lines would get wrong numbers; the stream goes on after what is here, so there is none.
    if (known < 0 || known >= lines.length) return
    this.pieces.push({ from: from + known, attempt, at })
    for (let index = known; index < lines.length; index += 1) this.lines.push(lines[index]!)
    for (const [index, printed] of Object.entries(colours)) this.colours.set(from + Number(index), printed)
  }

  /** When a line was printed, and in which attempt. */
  originOf(position: number): Origin | undefined {
    let [low, high] = [0, this.pieces.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.pieces[middle]!.from <= position) low = middle
      else high = middle - 1
    }
    return this.pieces[low]
  }
}

/** The lines of a kind, found as the log grows: each line is looked at once. */
export class LogMatches {
  /** Numbers of the lines, ascending. */
  readonly found: number[] = []
  readonly #known = new Set<number>()
  readonly #matches: ((line: string) => boolean) | null
  #looked = 0

  /** Null: no line is. */
  constructor(matches: ((line: string) => boolean) | null) {
    this.#matches = matches
  }

  extend(lines: readonly string[]): void {
    if (!this.#matches) return
    for (; this.#looked < lines.length; this.#looked += 1) {
      if (!this.#matches(lines[this.#looked]!)) continue
      this.found.push(this.#looked + 1)
      this.#known.add(this.#looked + 1)
    }
  }

  holds(position: number): boolean {
    return this.#known.has(position)
  }

  /** The next line found after one, or the one before; around the end it begins again. */
  next(after: number | null, direction: 1 | -1): number | null {
    if (this.found.length === 0) return null
    if (after === null) return direction === 1 ? this.found[0]! : this.found.at(-1)!
    if (direction === 1) return this.found.find((position) => position > after) ?? this.found[0]!
    return this.found.findLast((position) => position < after) ?? this.found.at(-1)!
  }
}

/** The lines that hold a text. */
export class LogSearch extends LogMatches {
  readonly text: string

  constructor(text: string) {
    const sought = text.toLowerCase()
    super(sought === '' ? null : (line) => line.toLowerCase().includes(sought))
    this.text = sought
  }
}

/** A line cut where it holds a text: every other part is a hit. */
export function cutAt(line: string, text: string): string[] {
  if (text === '') return [line]
  const parts: string[] = []
  const lower = line.toLowerCase()
  // In a few languages a small letter is longer than its capital; then positions would not fit.
  if (lower.length !== line.length) return [line]
  let from = 0
  for (let hit = lower.indexOf(text); hit >= 0; hit = lower.indexOf(text, from)) {
    parts.push(line.slice(from, hit), line.slice(hit, hit + text.length))
    from = hit + text.length
  }
  return [...parts, line.slice(from)]
}
