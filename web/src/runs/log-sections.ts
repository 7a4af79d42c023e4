import type { LogPiece, Segment } from '@signalbox/contract/app/runs.ts'

type Stage = Segment['stage']

/** Lines that belong together: of one attempt and one stage. */
export interface LogSection {
  attempt: number
  /** Null: not known. */
  stage: Stage | null
  first: number
  last: number
}

export type Origin = Omit<LogPiece, 'lines'>

/** A log cut where its attempt or its stage changes; the time at which lines arrived says which stage it was. */
export function sectionsOf(
  pieces: readonly Origin[],
  count: number,
  timeline: readonly Segment[],
): LogSection[] {
  const sections: LogSection[] = []
  const worked = timeline.filter(({ kind }) => kind === 'work')
  let at = 0
  for (const piece of pieces) {
    const time = Date.parse(piece.at)
    while (at + 1 < worked.length && Date.parse(worked[at + 1]!.from) <= time) at += 1
    const here = worked[at]
    const stage = here && here.attempt === piece.attempt ? here.stage : null
    const last = sections.at(-1)
    if (last && last.attempt === piece.attempt && last.stage === stage) continue
    if (last) last.last = piece.from - 1
    sections.push({ attempt: piece.attempt, stage, first: piece.from, last: count })
  }
  return sections
}

export type LogShown = { section: LogSection; isFolded: boolean } | { position: number }

/** What is drawn, row by row: a heading for each section, and its lines unless it is folded. */
export class LogRows {
  readonly #parts: { section: LogSection; isFolded: boolean; begin: number }[] = []
  readonly #lines: number
  readonly count: number

  constructor(sections: readonly LogSection[], folded: ReadonlySet<number>, lines: number) {
    this.#lines = lines
    let begin = 0
    // One section needs no heading.
    for (const section of sections.length > 1 ? sections : []) {
      const isFolded = folded.has(section.first)
      this.#parts.push({ section, isFolded, begin })
      begin += 1 + (isFolded ? 0 : section.last - section.first + 1)
    }
    this.count = this.#parts.length === 0 ? lines : begin
  }

  at(index: number): LogShown {
    const part = this.#parts.findLast(({ begin }) => begin <= index)
    if (!part) return { position: Math.min(index + 1, this.#lines) }
    return index === part.begin ? part : { position: part.section.first + index - part.begin - 1 }
  }

  /** The row of a line; of one in a folded section, the heading. */
  indexOf(position: number): number {
    const part = this.#parts.findLast(({ section }) => section.first <= position)
    if (!part) return position - 1
    return part.isFolded ? part.begin : part.begin + 1 + position - part.section.first
  }

  /** Which section a line is in; null where there is one only. */
  sectionOf(position: number): LogSection | null {
    return this.#parts.findLast(({ section }) => section.first <= position)?.section ?? null
  }
}
