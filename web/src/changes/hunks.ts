/** A line of a hunk, with its number in the file before and after the change. */
export interface Line {
  kind: 'context' | 'added' | 'removed'
  text: string
  before: number | null
  after: number | null
  /** The file ends with it, and not with the end of a line. */
  isUnended: boolean
}

export interface Hunk {
  /** As git writes it: where it is, and what it is in. */
  head: string
  lines: Line[]
}

const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const kinds: Partial<Record<string, Line['kind']>> = { '+': 'added', '-': 'removed' }

/**
 * Reads the hunks of one file. The head of each says how long it is, so that no changed line, whatever it says, passes
 * for the next head.
 */
export function parseHunks(text: string): Hunk[] {
  const written = text.split('\n')
  const hunks: Hunk[] = []
  let at = 0
  while (at < written.length) {
    const head = written[at]!
    const found = range.exec(head)
    at += 1
    if (!found) continue
    const [, before, removed = '1', after, added = '1'] = found
    const lines: Line[] = []
    const next = { before: Number(before), after: Number(after) }
    const end = { before: next.before + Number(removed), after: next.after + Number(added) }
    for (; at < written.length; at += 1) {
      const line = written[at]!
      const last = lines.at(-1)
      if (line.startsWith('\\')) {
        if (last) last.isUnended = true
      } else if (next.before >= end.before && next.after >= end.after) break
      else lines.push(lineOf(line, next))
    }
    hunks.push({ head, lines })
  }
  return hunks
}

function lineOf(written: string, next: { before: number; after: number }): Line {
  const kind = kinds[written[0] ?? ''] ?? 'context'
  const before = kind === 'added' ? null : next.before++
  const after = kind === 'removed' ? null : next.after++
  return { kind, text: written.slice(1), before, after, isUnended: false }
}

/** Side by side: what was removed beside what came in its place. */
export function pairsOf(lines: Line[]): [before: Line | null, after: Line | null][] {
  const pairs: [Line | null, Line | null][] = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]!.kind === 'context') {
      pairs.push([lines[at]!, lines[at]!])
      at += 1
      continue
    }
    const changed = lines.slice(at, endOf(lines, at))
    const removed = changed.filter(({ kind }) => kind === 'removed')
    const added = changed.filter(({ kind }) => kind === 'added')
    for (let n = 0; n < Math.max(removed.length, added.length); n += 1)
      pairs.push([removed[n] ?? null, added[n] ?? null])
    at += changed.length
  }
  return pairs
}

/** Of one change: what was removed, and what was added right after it. */
function endOf(lines: Line[], from: number): number {
  let at = from
  while (lines[at]?.kind === 'removed') at += 1
  while (lines[at]?.kind === 'added') at += 1
  return at
}
