import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snoozeTimes, toLocalDatetime, whyNotUntil } from './snooze-times.ts'

// Local time, as a person reads it.
const wednesday = new Date(2026, 10, 18, 15, 30)

test('a decision is put off by hours, until tomorrow or until Monday, in the reader’s own time', () => {
  assert.deepEqual(
    snoozeTimes(wednesday, null).map(({ name, at }) => [name, toLocalDatetime(at)]),
    [
      ['In 1 hour', '2026-11-18T16:30'],
      ['In 4 hours', '2026-11-18T19:30'],
      ['Tomorrow morning', '2026-11-19T09:00'],
      ['Monday morning', '2026-11-23T09:00'],
    ],
  )
  const monday = new Date(2026, 10, 23, 8, 0)
  assert.equal(toLocalDatetime(snoozeTimes(monday, null).at(-1)!.at), '2026-11-30T09:00')
  // Tomorrow is Monday: it is offered once.
  assert.equal(snoozeTimes(new Date(2026, 10, 22, 12), null).at(-1)!.name, 'Tomorrow morning')
})

test('nothing is offered beyond the deadline, and nothing in the past', () => {
  const expiresAt = new Date(2026, 10, 18, 18, 0).toISOString()
  assert.deepEqual(
    snoozeTimes(wednesday, expiresAt).map(({ forbidden }) => forbidden),
    [false, 'It expires before then', 'It expires before then', 'It expires before then'],
  )
  assert.equal(whyNotUntil(wednesday, wednesday, null), 'Choose a time in the future')
  assert.equal(whyNotUntil(new Date(''), wednesday, null), 'Choose a time in the future')
})
