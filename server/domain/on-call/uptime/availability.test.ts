import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dailyUptime } from './availability.ts'

const at = (text: string) => new Date(`${text}Z`)

test('an outage over midnight counts for both days, and one that goes on counts until the last check', () => {
  const changes = [
    { at: at('2026-03-30T23:30:00'), status: 'firing' },
    { at: at('2026-03-31T01:00:00'), status: 'resolved' },
    { at: at('2026-04-01T11:00:00'), status: 'firing' },
  ] as const
  assert.deepEqual(dailyUptime(changes, at('2026-03-30T12:00:00'), at('2026-04-01T12:00:00')), [
    { day: '2026-03-30', watchedSeconds: 43_200, downSeconds: 1_800 },
    { day: '2026-03-31', watchedSeconds: 86_400, downSeconds: 3_600 },
    { day: '2026-04-01', watchedSeconds: 43_200, downSeconds: 3_600 },
  ])
})

test('what was down before the first day is down in it, and a second report of it changes nothing', () => {
  const changes = [
    { at: at('2026-03-29T10:00:00'), status: 'firing' },
    { at: at('2026-03-30T00:30:00'), status: 'firing' },
    { at: at('2026-03-30T01:00:00'), status: 'resolved' },
  ] as const
  assert.deepEqual(dailyUptime(changes, at('2026-03-30T00:00:00'), at('2026-03-31T00:00:00')), [
    { day: '2026-03-30', watchedSeconds: 86_400, downSeconds: 3_600 },
  ])
})

test('a recovery without an outage before it means it was up', () => {
  const changes = [{ at: at('2026-03-30T01:00:00'), status: 'resolved' }] as const
  const [day] = dailyUptime(changes, at('2026-03-30T00:00:00'), at('2026-03-30T02:00:00'))
  assert.deepEqual(day, { day: '2026-03-30', watchedSeconds: 7_200, downSeconds: 0 })
})
