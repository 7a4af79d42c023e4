import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ReadAlert } from '../senders/reading/reading.ts'
import { follow, type KnownAlert, newsOf } from './follow.ts'

const minute = 60_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 5, 12) + minutes * minute)

const aRead = (
  status: 'firing' | 'resolved',
  times: { occurred?: number; started?: number } = {},
): ReadAlert => ({
  title: 'x',
  status,
  severity: 'high',
  fingerprint: 'f',
  service: null,
  environment: null,
  description: null,
  startedAt: times.started === undefined ? null : at(times.started).toISOString(),
  endedAt: null,
  labels: {},
  links: [],
  severityGiven: true,
  occurredAt: times.occurred === undefined ? null : at(times.occurred).toISOString(),
  updateOnly: false,
  isTest: false,
  cuts: [],
  senderId: null,
})

/** What each of a row of deliveries meant, arriving a minute apart. */
function news(...reads: ReadAlert[]): string[] {
  let known: KnownAlert | null = null
  return reads.map((read, index) => {
    const meant = newsOf(known, read, at(100 + index))
    known = follow(known, read, at(100 + index))
    return meant
  })
}

test('an alert fires, is told of again, recovers, and fires again', () => {
  assert.deepEqual(
    news(aRead('firing'), aRead('firing'), aRead('resolved'), aRead('resolved'), aRead('firing')),
    ['new', 'repeated', 'recovered', 'repeated', 'again'],
  )
})

test('a firing that began before the recovery is an old one, sent again', () => {
  const started = { occurred: 1, started: 1 }
  assert.deepEqual(
    news(aRead('firing', started), aRead('resolved', { occurred: 5 }), aRead('firing', started)),
    ['new', 'recovered', 'late'],
  )
})

test('a firing that began after the recovery is a new occurrence', () => {
  const again = { occurred: 6, started: 6 }
  assert.deepEqual(
    news(aRead('firing', { started: 1 }), aRead('resolved', { occurred: 5 }), aRead('firing', again)),
    ['new', 'recovered', 'again'],
  )
})

test('a recovery that arrives before its firing opens nothing when the firing comes', () => {
  assert.deepEqual(news(aRead('resolved', { occurred: 5 }), aRead('firing', { occurred: 1, started: 1 })), [
    'early',
    'late',
  ])
})

test('a recovery from before the alert fired again is old', () => {
  const reads = [
    aRead('firing', { occurred: 1, started: 1 }),
    aRead('resolved', { occurred: 5 }),
    aRead('firing', { occurred: 9, started: 9 }),
    aRead('resolved', { occurred: 5 }),
  ]
  assert.deepEqual(news(...reads), ['new', 'recovered', 'again', 'late'])
})

test('an acknowledgement does not make fire what is over', () => {
  const acknowledged = { ...aRead('firing'), updateOnly: true }
  assert.deepEqual(news(aRead('firing'), aRead('resolved'), acknowledged), ['new', 'recovered', 'late'])
})

test('a sender whose clock is ahead does not make what follows look old', () => {
  assert.deepEqual(
    news(aRead('firing', { occurred: 10_000, started: 10_000 }), aRead('resolved', { occurred: 101 })),
    ['new', 'recovered'],
  )
})

test('severity stays as it was where a delivery does not say', () => {
  const known = follow(null, aRead('firing'), at(0))
  const silent = { ...aRead('resolved'), severity: 'medium' as const, severityGiven: false }
  assert.equal(follow(known, silent, at(1)).severity, 'high')
})

test('whatever arrives, a recovery ends what fires and nothing ends twice', () => {
  const reads = fc.array(
    fc.record({ status: fc.constantFrom('firing' as const, 'resolved' as const), occurred: fc.nat(200) }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(reads, (list) => {
      const meant = news(
        ...list.map(({ status, occurred }) => aRead(status, { occurred, started: occurred })),
      )
      let firing = false
      for (const one of meant) {
        if (one === 'new' || one === 'again') {
          assert.equal(firing, false)
          firing = true
        }
        if (one === 'recovered') {
          assert.equal(firing, true)
          firing = false
        }
      }
    }),
  )
})
