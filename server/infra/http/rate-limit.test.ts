import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { type Quota, RateLimiter } from './rate-limit.ts'

const noPool = {
  query: () => Promise.reject(new Error('one node does not ask the database')),
} as unknown as pg.Pool

function limiterAt(start: number) {
  let [now, timeOfDay] = [start, start]
  const limiter = new RateLimiter({ limit: 120, pool: noPool, now: () => now, timeOfDay: () => timeOfDay })
  return {
    limiter,
    forward(milliseconds: number) {
      now += milliseconds
      timeOfDay += milliseconds
    },
    setClock(milliseconds: number) {
      timeOfDay += milliseconds
    },
  }
}

test('the 120th request of a window passes and the 121st is refused', () => {
  const { limiter } = limiterAt(1_000_000)
  for (let n = 1; n <= 120; n += 1) {
    const quota = limiter.count('a')
    assert.deepEqual([quota.refused, quota.remaining], [false, 120 - n])
  }
  assert.deepEqual([limiter.count('a').refused, limiter.count('a').remaining], [true, 0])
  assert.equal(limiter.count('b').refused, false, 'another token has its own window')
})

test('the window is opened by the first request, its reset stays the same, and then all of the quota is back', () => {
  const { limiter, forward } = limiterAt(1_000_500)
  const first = limiter.count('a')
  assert.equal(first.resetsAt, 1_061, 'Unix seconds, rounded up')
  for (let n = 0; n < 200; n += 1) {
    forward(250)
    assert.equal(limiter.count('a').resetsAt, first.resetsAt)
  }
  assert.equal(limiter.count('a').refused, true)
  forward(60_000 - 200 * 250 - 1)
  assert.equal(limiter.count('a').refused, true, 'a millisecond before the reset')
  forward(1)
  assert.deepEqual([limiter.count('a').refused, limiter.peek('a').remaining], [false, 119])
})

test('a refused request is not counted again, and a look counts nothing', () => {
  const { limiter, forward } = limiterAt(0)
  for (let n = 0; n < 500; n += 1) limiter.count('a')
  for (let n = 0; n < 10; n += 1) limiter.peek('b')
  assert.equal(limiter.peek('b').remaining, 120)
  forward(60_000)
  assert.equal(limiter.count('a').remaining, 119)
})

test('closed windows are forgotten', async () => {
  const { limiter, forward } = limiterAt(0)
  limiter.count('a')
  forward(60_000)
  await limiter.sweep()
  assert.equal(limiter.peek('a').remaining, 120)
})

for (const [says, moved] of Object.entries({
  'set back by an hour': -3_600_000,
  'set an hour ahead': 3_600_000,
})) {
  test(`a window lasts a minute, also when the clock is ${says}, and its reset is told by the new time`, () => {
    const { limiter, forward, setClock } = limiterAt(7_200_000)
    for (let n = 0; n < 121; n += 1) limiter.count('a')
    setClock(moved)
    forward(30_000)
    const { refused, seconds, resetsAt } = limiter.count('a')
    assert.deepEqual([refused, seconds, resetsAt], [true, 30, (7_200_000 + moved + 60_000) / 1000])
    forward(30_000)
    assert.equal(limiter.count('a').refused, false)
  })
}

/** A table that says nothing until it is told to. */
function silentTable() {
  const asked: ((rows: unknown[]) => void)[] = []
  const pool = {
    query: (text: string) =>
      text.trimStart().startsWith('insert')
        ? new Promise((resolve) => asked.push((rows) => resolve({ rows })))
        : Promise.resolve({ rows: [] }),
  } as unknown as pg.Pool
  return { asked, pool }
}

test('a request waits two seconds for a table that says nothing; then the node counts alone until it does', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, pool } = silentTable()
  const limiter = new RateLimiter({ limit: 2, pool, now: () => 0, timeOfDay: () => 0 })
  await limiter.share(true)
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  let counted: number | null = null
  const first = Promise.resolve(limiter.take('a')).then(({ remaining }) => {
    counted = remaining
  })
  await turn()
  assert.equal(asked.length, 1)
  t.mock.timers.tick(1_999)
  await turn()
  assert.equal(counted, null, 'the table may still answer')
  t.mock.timers.tick(1)
  await first
  assert.equal(counted, 1)
  // No one waits for it a second time, and the limit holds.
  const { remaining, refused } = limiter.take('a') as Quota
  assert.deepEqual([remaining, refused], [0, false])
  assert.equal((limiter.take('a') as Quota).refused, true)
  assert.equal(asked.length, 1)
  asked[0]!([{ used: 1, leftMs: 60_000 }])
  await turn()
  const again = limiter.take('b')
  await turn()
  assert.equal(asked.length, 2, 'it is asked again')
  asked[1]!([{ used: 2, leftMs: 60_000 }])
  assert.equal((await again).remaining, 0)
})
