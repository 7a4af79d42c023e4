import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barsOf, totalsOf } from './waterfall.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const segment = (attempt: number, kind: 'queue' | 'work' | 'wait', from: number, to: number | null) => ({
  attempt,
  kind,
  stage: 'planning' as const,
  from: at(from),
  to: to === null ? null : at(to),
})

test('stretches stand on one scale, and what lasts reaches until now', () => {
  const attempts = barsOf(
    [segment(1, 'queue', 0, 10), segment(1, 'work', 10, 60), segment(2, 'work', 80, null)],
    100_000,
  )
  assert.deepEqual(
    attempts.map(({ attempt, bars }) => [attempt, bars.map(({ left, width }) => [left, width])]),
    [
      [
        1,
        [
          [0, 0.1],
          [0.1, 0.5],
        ],
      ],
      [2, [[0.8, 0.2]]],
    ],
  )
})

test('no stretches, no bars; a clock that is behind gives no negative ones', () => {
  assert.deepEqual(barsOf([], 0), [])
  assert.equal(barsOf([segment(1, 'work', 100, null)], 50_000)[0]!.bars[0]!.width, 0)
})

test('the time of each kind is added up', () => {
  const segments = [segment(1, 'work', 0, 10), segment(1, 'wait', 10, 70), segment(2, 'work', 70, null)]
  assert.deepEqual(totalsOf(segments, 100_000), { queue: 0, work: 40_000, wait: 60_000, merge: 0 })
})
