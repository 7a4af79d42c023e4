import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OnCallHours, weekdays } from '@signalbox/contract/service.ts'
import { isTimeZone } from '../../wall-clock.ts'
import { changesAt, isOnCall } from './hours.ts'

const office: OnCallHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '08:00',
  end: '18:00',
  timeZone: 'Europe/Oslo',
}
const nights: OnCallHours = { days: ['fri', 'sat'], start: '22:00', end: '06:00', timeZone: 'Europe/Oslo' }

const table: [string, OnCallHours | null, string, boolean][] = [
  ['without hours somebody is always on call', null, '2026-01-04T03:00:00Z', true],
  ['the first minute is in', office, '2026-01-05T07:00:00Z', true],
  ['the minute before is not', office, '2026-01-05T06:59:59Z', false],
  ['the last minute is not in', office, '2026-01-05T17:00:00Z', false],
  ['Sunday is not a day', office, '2026-01-04T10:00:00Z', false],
  ['summer time moves the window with the clocks', office, '2026-07-06T06:00:00Z', true],
  ['Friday night', nights, '2026-01-02T21:30:00Z', true],
  ['Saturday before six belongs to Friday', nights, '2026-01-03T04:59:00Z', true],
  ['at six it is over', nights, '2026-01-03T05:00:00Z', false],
  ['Sunday before six belongs to Saturday', nights, '2026-01-04T03:00:00Z', true],
  ['Sunday night begins none', nights, '2026-01-04T22:00:00Z', false],
  ['Friday morning belongs to Thursday, which begins none', nights, '2026-01-02T03:00:00Z', false],
  // On 29 March 2026 two o'clock becomes three o'clock.
  ['the night clocks go forward ends at six by the clock', nights, '2026-03-29T03:59:00Z', true],
  ['and not a minute later', nights, '2026-03-29T04:00:00Z', false],
  // On 25 October 2026 three o'clock becomes two o'clock.
  ['the night clocks go back ends at six by the clock', nights, '2026-10-25T04:59:00Z', true],
  ['and is an hour longer', nights, '2026-10-25T05:00:00Z', false],
]

for (const [says, hours, at, expected] of table) {
  test(says, () => assert.equal(isOnCall(hours, new Date(at)), expected))
}

test('a window that ends when it starts is around the clock, from its day to the next', () => {
  const day: OnCallHours = { days: ['mon'], start: '09:00', end: '09:00', timeZone: 'UTC' }
  assert.equal(isOnCall(day, new Date('2026-01-05T08:59:00Z')), false)
  assert.equal(isOnCall(day, new Date('2026-01-05T09:00:00Z')), true)
  assert.equal(isOnCall(day, new Date('2026-01-06T08:59:00Z')), true)
  assert.equal(isOnCall(day, new Date('2026-01-06T09:00:00Z')), false)
})

test('time zones are those of the IANA list', () => {
  assert.equal(isTimeZone('America/Sao_Paulo'), true)
  assert.equal(isTimeZone('Mars/Olympus'), false)
})

test('the next change is when a window begins or ends by the clock on the wall', () => {
  const changes: [OnCallHours | null, string, string | null][] = [
    [null, '2026-01-05T07:00:00Z', null],
    [office, '2026-01-05T07:00:00Z', '2026-01-05T17:00:00.000Z'],
    [office, '2026-01-05T17:00:00Z', '2026-01-06T07:00:00.000Z'],
    [office, '2026-01-09T17:30:00Z', '2026-01-12T07:00:00.000Z'],
    [nights, '2026-01-03T00:00:00Z', '2026-01-03T05:00:00.000Z'],
    [nights, '2026-01-04T12:00:00Z', '2026-01-09T21:00:00.000Z'],
    [nights, '2026-03-28T23:00:00Z', '2026-03-29T04:00:00.000Z'],
    [{ ...nights, days: [...weekdays], end: '22:00' }, '2026-01-04T12:00:00Z', null],
    // Two o'clock is skipped: the window begins when clocks show three.
    [{ ...office, days: ['sun'], start: '02:00' }, '2026-03-28T20:00:00Z', '2026-03-29T01:00:00.000Z'],
    // Half past two comes twice: the window ends, begins again with the repeated hour, and ends.
    [{ ...nights, end: '02:30' }, '2026-10-24T22:00:00Z', '2026-10-25T00:30:00.000Z'],
    [{ ...nights, end: '02:30' }, '2026-10-25T00:30:00Z', '2026-10-25T01:00:00.000Z'],
    [{ ...nights, end: '02:30' }, '2026-10-25T01:00:00Z', '2026-10-25T01:30:00.000Z'],
  ]
  for (const [hours, at, expected] of changes)
    assert.equal(changesAt(hours, new Date(at))?.toISOString() ?? null, expected, at)
})
