import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Score } from '@signalbox/contract/app/insights.ts'
import { csvOf } from './csv.ts'
import { daysFrom, firstShown, roundUp, ticks } from './days.ts'
import { nameOf, orderOf, scoresAsRows, sorted, sortNext } from './scores.ts'

test('days without facts are there too, over the end of a month', () => {
  assert.deepEqual(daysFrom({ from: '2026-02-27', to: '2026-03-02' }), [
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ])
})

test('an axis ends at a round number that nothing rises above, and so is its half', () => {
  assert.deepEqual(
    [0, 1, 3, 10, 11, 24, 55, 61, 501].map((value) => roundUp(value, 1)),
    [2, 2, 4, 10, 20, 30, 60, 80, 600],
  )
  // Two cents in millionths of a euro: less has no label of its own.
  assert.equal(roundUp(4_000, 10_000), 20_000)
})

test('a picture begins a day before the first fact, and shows a week at least', () => {
  const on = (first: number, days: number) => Array.from({ length: days }, (_, day) => (day < first ? 0 : 1))
  assert.equal(firstShown(on(20, 30)), 19)
  assert.equal(firstShown(on(28, 30)), 23)
  assert.equal(firstShown(on(0, 30)), 0)
  assert.equal(firstShown(on(6, 7)), 0)
  assert.equal(firstShown([0, 0]), 0)
})

test('labels are few enough to be read', () => {
  const days = daysFrom({ from: '2026-01-01', to: '2026-03-31' })
  assert.ok(ticks(days, 6).length <= 6)
  assert.equal(ticks(days, 6).at(-1), '2026-03-31')
})

test('a table becomes a file in which no cell is a formula', () => {
  assert.equal(
    csvOf([
      ['Day', '=1+1'],
      ['2026-01-01', -3],
      ['say "hi"', 2],
    ]),
    '"Day","\'=1+1"\r\n"2026-01-01",-3\r\n"say ""hi""",2\r\n',
  )
})

const share = (count: number, of: number, value: number | null) => ({
  ...{ count, of },
  estimate: value === null ? null : { value, low: value / 2, high: value },
})
const score = (group: string, finished: number, cost: number | null): Score => ({
  ...{ group, name: null, finished, open: 1, merged: finished, answers: 3, spentMicros: 5_000_000 },
  withoutRework: share(1, finished, cost === null ? null : 0.5),
  reverted: share(0, finished, null),
  incidents: share(0, 2, null),
  waiting: null,
  cost: cost === null ? null : { value: cost, low: cost / 2, high: 2 * cost },
  ...{ revertedRuns: [], incidentKeys: [] },
})

test('rows of a scoreboard are sorted either way, and those with too few to compare stay last', () => {
  const scores = [score('codex', 20, 3), score('gemini', 4, null), score('claude_code', 30, 9)]
  const by = (sort?: string) => sorted(scores, 'agent', orderOf(sort)).map(({ group }) => group)
  assert.deepEqual(by('cost'), ['codex', 'claude_code', 'gemini'])
  assert.deepEqual(by('-cost'), ['claude_code', 'codex', 'gemini'])
  assert.deepEqual(by('-withoutRework'), ['claude_code', 'codex', 'gemini'])
  assert.deepEqual(by('name'), ['claude_code', 'codex', 'gemini'])
  for (const sort of [undefined, 'constructor', '-']) assert.deepEqual(by(sort), by('-finished'))
  assert.deepEqual([sortNext(orderOf('cost'), 'cost'), sortNext(orderOf('-cost'), 'cost')], ['-cost', 'cost'])
  assert.deepEqual(
    [sortNext(orderOf('cost'), 'finished'), sortNext(orderOf('cost'), 'waiting')],
    ['-finished', 'waiting'],
  )
})

test('a row of a scoreboard is called as people call it', () => {
  assert.equal(nameOf('agent', { group: 'claude_code', name: null }), 'Claude Code')
  assert.equal(nameOf('agent', { group: 'local', name: null }), 'A person’s own agent')
  assert.equal(nameOf('model', { group: '', name: null }), 'Not recorded')
  assert.equal(nameOf('model', { group: 'constructor', name: null }), 'constructor')
  assert.equal(nameOf('team', { group: 'red', name: 'Red' }), 'Red')
  assert.equal(nameOf('kind', { group: 'fixed_date', name: null }), 'Fixed date')
  assert.equal(nameOf('size', { group: 'xl', name: null }), 'XL')
})

test('the file of a scoreboard has a column for every number, and nothing where there are too few', () => {
  const [titles, codex, gemini] = scoresAsRows(
    [score('codex', 20, 3_000_000), score('gemini', 4, null)],
    'agent',
  )
  assert.equal(codex!.length, titles!.length)
  assert.equal(gemini!.length, titles!.length)
  const cell = (row: (string | number)[], title: string) => row[titles!.indexOf(title)]
  assert.equal(cell(codex!, 'Cost per merged story (median EUR)'), 3)
  assert.equal(cell(gemini!, 'Cost per merged story (median EUR)'), '')
  assert.equal(cell(gemini!, 'Merged without rework'), 1)
  assert.equal(cell(codex!, 'Spent by all finished runs (EUR)'), 5)
})
