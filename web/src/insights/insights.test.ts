import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from './csv.ts'
import { daysFrom, firstShown, roundUp, ticks } from './days.ts'

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
