import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogRows, sectionsOf } from './log-sections.ts'

const at = (seconds: number) => new Date(seconds * 1_000).toISOString()
const piece = (from: number, attempt: number, seconds: number) => ({ from, attempt, at: at(seconds) })
const segment = (attempt: number, stage: 'planning' | 'implementing', from: number, to: number) =>
  ({ attempt, kind: 'work', stage, from: at(from), to: at(to) }) as const

const timeline = [
  segment(1, 'planning', 0, 10),
  { ...segment(1, 'planning', 10, 20), kind: 'wait' as const },
  segment(1, 'implementing', 20, 30),
  segment(2, 'implementing', 40, 50),
]
const pieces = [piece(1, 1, 2), piece(3, 1, 9), piece(5, 1, 21), piece(8, 2, 41)]

test('a log is cut by attempt and stage', () => {
  assert.deepEqual(sectionsOf(pieces, 9, timeline), [
    { attempt: 1, stage: 'planning', first: 1, last: 4 },
    { attempt: 1, stage: 'implementing', first: 5, last: 7 },
    { attempt: 2, stage: 'implementing', first: 8, last: 9 },
  ])
  // Where nothing is known of the stages there are the attempts.
  assert.deepEqual(
    sectionsOf(pieces, 9, []).map(({ attempt, stage, first }) => [attempt, stage, first]),
    [
      [1, null, 1],
      [2, null, 8],
    ],
  )
})

test('rows are headings and lines, a folded section has its heading alone, and every line is found again', () => {
  const rows = new LogRows(sectionsOf(pieces, 9, timeline), new Set([5]), 9)
  const shown = Array.from({ length: rows.count }, (_, index) => {
    const row = rows.at(index)
    return 'position' in row ? row.position : `${row.section.first}${row.isFolded ? ' folded' : ''}`
  })
  assert.deepEqual(shown, ['1', 1, 2, 3, 4, '5 folded', '8', 8, 9])
  assert.deepEqual([rows.indexOf(4), rows.indexOf(6), rows.indexOf(9)], [4, 5, 8])
  assert.equal(rows.sectionOf(6)!.first, 5)
  const plain = new LogRows(sectionsOf([piece(1, 1, 2)], 2, timeline), new Set(), 2)
  assert.deepEqual([plain.count, plain.at(1), plain.indexOf(2)], [2, { position: 2 }, 1])
})

test('rows of fifty thousand lines in hundreds of sections are found at once', () => {
  const many = Array.from({ length: 500 }, (_, n) => piece(n * 100 + 1, n + 1, n))
  const rows = new LogRows(sectionsOf(many, 50_000, []), new Set(), 50_000)
  assert.equal(rows.count, 50_500)
  for (const position of [1, 25_050, 50_000]) assert.deepEqual(rows.at(rows.indexOf(position)), { position })
})
