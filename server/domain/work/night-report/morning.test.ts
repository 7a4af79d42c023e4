import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDue, morningOf, spanStartOf } from './morning.ts'

const at = (moment: string) => new Date(moment)
const morning = (now: string, timeZone: string, hour = 7) => {
  const found = morningOf(at(now), { hour, timeZone })
  return [found.morning, found.at.toISOString(), found.evening.toISOString(), isDue(found, at(now))]
}

test('a morning begins at the hour that clocks show in the zone of the person', () => {
  assert.deepEqual(morning('2026-04-01T06:59:00Z', 'UTC'), [
    ...['2026-03-31', '2026-03-31T07:00:00.000Z', '2026-03-30T18:00:00.000Z', false],
  ])
  assert.deepEqual(morning('2026-04-01T07:00:00Z', 'UTC'), [
    ...['2026-04-01', '2026-04-01T07:00:00.000Z', '2026-03-31T18:00:00.000Z', true],
  ])
  // There it is the next day already.
  assert.deepEqual(morning('2026-03-31T22:30:00Z', 'Asia/Tokyo'), [
    ...['2026-04-01', '2026-03-31T22:00:00.000Z', '2026-03-31T09:00:00.000Z', true],
  ])
  assert.deepEqual(morning('2026-04-01T03:00:00Z', 'America/Los_Angeles', 19), [
    ...['2026-03-31', '2026-04-01T02:00:00.000Z', '2026-03-31T01:00:00.000Z', true],
  ])
})

test('the night in which clocks are put forward is an hour shorter', () => {
  const [day, begins, evening] = morning('2026-03-29T05:00:00Z', 'Europe/Berlin')
  assert.deepEqual(
    [day, begins, evening],
    [...['2026-03-29', '2026-03-29T05:00:00.000Z', '2026-03-28T17:00:00.000Z']],
  )
  assert.equal(morning('2026-03-29T04:59:00Z', 'Europe/Berlin')[0], '2026-03-28')
})

test('an hour that clocks skip begins when they have skipped it, and a repeated one the first time', () => {
  assert.equal(morning('2026-03-29T01:00:00Z', 'Europe/Berlin', 2)[1], '2026-03-29T01:00:00.000Z')
  assert.equal(morning('2026-10-25T00:30:00Z', 'Europe/Berlin', 2)[1], '2026-10-25T00:00:00.000Z')
})

test('six hours later it is no morning any more', () => {
  assert.equal(morning('2026-04-01T12:59:00Z', 'UTC')[3], true)
  assert.equal(morning('2026-04-01T13:00:00Z', 'UTC')[3], false)
})

test('a report begins where the last one ended, and in the evening where there is none or it is long ago', () => {
  const now = at('2026-04-01T07:00:00Z')
  const today = morningOf(now, { hour: 7, timeZone: 'UTC' })
  const begin = (last?: string) => spanStartOf(today, last ? at(last) : undefined, now).toISOString()
  assert.equal(begin(), '2026-03-31T18:00:00.000Z')
  assert.equal(begin('2026-03-30T07:01:00Z'), '2026-03-30T07:01:00.000Z')
  assert.equal(begin('2026-03-20T07:00:00Z'), '2026-03-31T18:00:00.000Z')
})
