import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { alertStatuses, type SenderKind, senderKinds, severities } from '@signalbox/contract/signal.ts'
import fc from 'fast-check'
import { bodyOf, deliver, fixtureNames } from '../../../test/on-call/deliver.ts'
import { change, mutate } from '../../../test/on-call/mutate.ts'
import type { ReadAlert, Reading } from './reading/reading.ts'

/**
 * Whatever arrives, a format answers with a reading that can be stored.
 *
 * FAULTS=all changes each body in many times as many ways (`npm run test:faults`).
 */

const isThorough = process.env.FAULTS === 'all'
const numRuns = isThorough ? 500 : 10

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function isLine(text: unknown, most: number) {
  assert.ok(typeof text === 'string' && text !== '' && text.length <= most, `a line of ${most}`)
  assert.ok(text.isWellFormed() && !/\p{Cc}/u.test(text), 'can be stored')
}

function isWellFormedAlert(alert: ReadAlert) {
  isLine(alert.title, 300)
  isLine(alert.fingerprint, 520)
  assert.ok(alertStatuses.includes(alert.status))
  assert.ok(severities.includes(alert.severity))
  for (const name of [alert.service, alert.environment]) if (name !== null) isLine(name, 200)
  if (alert.description !== null) {
    assert.ok(alert.description !== '' && alert.description.length <= 10_000)
    assert.ok(alert.description.isWellFormed() && !/(?![\n\t])\p{Cc}/u.test(alert.description))
  }
  for (const time of [alert.startedAt, alert.endedAt, alert.occurredAt])
    if (time !== null) assert.match(time, isoTime)
  const labels = Object.entries(alert.labels)
  assert.ok(labels.length <= 100)
  for (const [key, value] of labels) {
    isLine(key, 200)
    isLine(value, 2_000)
  }
  assert.ok(alert.links.length <= 20)
  for (const { label, url } of alert.links) {
    isLine(label, 200)
    assert.match(new URL(url).protocol, /^https?:$/)
  }
  assert.equal(typeof alert.severityGiven, 'boolean')
  assert.equal(typeof alert.updateOnly, 'boolean')
  if (alert.senderId !== null) assert.match(alert.senderId, /^[\w-]{1,100}$/)
}

function isWellFormed(reading: Reading) {
  for (const alert of reading.alerts) isWellFormedAlert(alert)
  assert.equal(typeof reading.test, 'boolean')
  if (reading.problem !== null) {
    assert.ok(reading.problem.length <= 1_000 && reading.problem.isWellFormed())
    assert.ok(!/\p{Cc}/u.test(reading.problem))
  }
  if (reading.deliveryId !== null) isLine(reading.deliveryId, 500)
  const isExplained =
    reading.alerts.length > 0 || reading.problem !== null || reading.test || reading.handshake !== null
  assert.ok(isExplained, 'a delivery without alerts says why')
  assert.deepEqual(JSON.parse(JSON.stringify(reading)), reading)
}

/** Holds for the body, and again when it is read a second time. */
function survives(kind: SenderKind, body: Buffer | string) {
  const reading = deliver(kind, body)
  isWellFormed(reading)
  assert.deepEqual(deliver(kind, body), reading)
}

for (const kind of senderKinds)
  describe(kind, () => {
    for (const name of fixtureNames(kind)) {
      const bytes = bodyOf(kind, name)

      test(`${name}, as it is`, () => survives(kind, bytes))

      test(`${name}, with values changed`, () => {
        fc.assert(
          fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
            const body = JSON.parse(bytes.toString())
            mutate(body, changes)
            survives(kind, JSON.stringify(body))
          }),
          { numRuns },
        )
      })

      test(`${name}, with bytes changed or missing`, () => {
        fc.assert(
          fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, byte, cuts) => {
            const body = Buffer.from(cuts ? bytes.subarray(0, at) : bytes)
            if (!cuts) body[at] = byte
            survives(kind, body)
          }),
          { numRuns },
        )
      })
    }

    test('any JSON', () => {
      fc.assert(
        fc.property(fc.json({ maxDepth: 4 }), (json) => survives(kind, json)),
        { numRuns },
      )
    })

    test('a body nested as deep as it can be', () => {
      const depth = 5_000
      const deep = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`
      const fields = ['labels', 'alerts', 'event', 'data', 'alert', 'incident', 'tags', 'context', 'Message']
      survives(
        kind,
        `{"title":"x","Type":"Notification",${fields.map((name) => `"${name}":${deep}`).join(',')}}`,
      )
    })
  })

/** Fails only when work grows with the square of the size. */
function isQuick(kind: SenderKind, body: string): Reading {
  const before = process.cpuUsage()
  const reading = deliver(kind, body)
  const ms = process.cpuUsage(before).user / 1000
  assert.ok(ms < 5_000, `${ms} ms`)
  return reading
}

const range = (length: number) => Array.from({ length }, (_, i) => i)

test('ten thousand alerts in one delivery are all read', () => {
  const generic = isQuick(
    'generic',
    JSON.stringify({ alerts: range(10_000).map((i) => ({ title: `Alert ${i}` })) }),
  )
  assert.equal(new Set(generic.alerts.map((alert) => alert.fingerprint)).size, 10_000)
  for (const kind of ['grafana', 'alertmanager'] as const) {
    const group = {
      alerts: range(10_000).map((i) => ({ status: 'firing', labels: { i }, generatorURL: `?i=${i}` })),
      externalURL: `https://example.com/${'x'.repeat(3_000)}`,
      title: 'x'.repeat(300_000),
    }
    const { alerts } = isQuick(kind, JSON.stringify(group))
    assert.equal(new Set(alerts.map((alert) => alert.fingerprint)).size, 10_000)
  }
})

test('ten thousand wrong alerts are told in a sentence', () => {
  const { problem } = isQuick('generic', JSON.stringify({ alerts: range(10_000).map(() => ({})) }))
  assert.match(problem ?? '', /9997 more faults/)
})

test('an object of very many keys is read', () => {
  const keys = `{${range(200_000)
    .map((i) => `"k${i}":"v"`)
    .join(',')}}`
  const { alerts } = isQuick('generic', `{"title":"x","labels":${keys}}`)
  assert.equal(Object.keys(alerts[0]!.labels).length, 100)
  isQuick('datadog', keys)
  isQuick('alertmanager', `{"alerts":[{"status":"firing","labels":${keys}}]}`)
})

test('long texts of brackets, backslashes and digits are read', () => {
  const fields = [
    'body',
    'id',
    'state',
    'alert_transition',
    'tags',
    'Message',
    'action',
    'schemaId',
    'fingerprint',
  ]
  const parts = ['[', ']', '[[P1]', '\\', '9', ' ', '%%%', 'https://a/monitors/', '{', '/', '\u0000']
  for (const [turn, part] of parts.entries()) {
    const text = part.repeat(100_000 / part.length)
    const body = { Type: 'Notification', ...Object.fromEntries(fields.map((name) => [name, text])) }
    for (const [at, kind] of senderKinds.entries()) {
      const titles = ['[Triggered] x', text]
      for (const title of isThorough ? titles : [titles[(turn + at) % 2]])
        isQuick(kind, JSON.stringify({ title, ...body }))
    }
  }
})
