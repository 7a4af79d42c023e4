import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import fc from 'fast-check'
import { bodyOf, deliver, fixtureNames } from '../../../test/on-call/deliver.ts'
import { change, mutate } from '../../../test/on-call/mutate.ts'
import { senders } from './index.ts'
import type { Reading } from './reading/reading.ts'

/** A delivery that is taken for a repetition is dropped, so nothing that says something else may be taken for one. */

// biome-ignore lint/suspicious/noExplicitAny: a test changes what it likes
type Body = any

let number = 0
const next = () => {
  number += 1
  return `number-${number}`
}
/** What a sender promises to be new in each delivery, and the same when it sends that again. */
const promised: Partial<Record<SenderKind, (body: Body) => void>> = {
  pagerduty: (body) => {
    if (typeof body?.event === 'object' && body.event) body.event.id = next()
  },
  cloudwatch: (body) => {
    body.MessageId = next()
  },
}

/** Senders that say when each thing happened, and so can be told from themselves. */
const dated = ['pagerduty', 'datadog', 'newrelic', 'opsgenie', 'cloudwatch', 'azure_monitor', 'statuspage']

const headers = { 'x-service-timestamp': '1896000000' }

function neverCollide(kind: SenderKind, one: Reading, other: Reading) {
  if (isDeepStrictEqual(one.alerts, other.alerts)) return
  const isDropped = one.deliveryId !== null && one.deliveryId === other.deliveryId
  assert.ok(!isDropped, `${kind}: ${one.deliveryId} is both ${say(one)} and ${say(other)}`)
}

const say = ({ alerts }: Reading) => JSON.stringify(alerts).slice(0, 2_000)

/** Every value of a body in turn, as something else; what a body quotes as JSON is a part of it. */
function* withOneChange(bytes: Buffer): Generator<Body> {
  const places = (value: Body, path: string[] = []): string[][] =>
    typeof value === 'object' && value !== null
      ? Object.keys(value).flatMap((key) => places(value[key], [...path, key]))
      : [path]
  const changed = (value: Body, [key, ...rest]: string[]): Body => {
    if (key === undefined) return typeof value === 'string' ? `${value}x` : 17
    const copy = Array.isArray(value) ? [...value] : { ...value }
    copy[key] = changed(value[key], rest)
    return copy
  }
  const body = JSON.parse(bytes.toString())
  for (const path of places(body)) yield changed(body, path)
  if (typeof body.Message !== 'string' || !body.Message.startsWith('{')) return
  const message = JSON.parse(body.Message)
  for (const path of places(message)) yield { ...body, Message: JSON.stringify(changed(message, path)) }
}

describe('two deliveries that differ in the fingerprint or the content of an alert never collide', () => {
  for (const kind of senderKinds)
    for (const name of fixtureNames(kind))
      test(`${kind}: ${name}, with any one value changed, and with several`, () => {
        const bytes = bodyOf(kind, name)
        const original = deliver(kind, bytes, headers)
        for (const body of withOneChange(bytes)) {
          promised[kind]?.(body)
          neverCollide(kind, original, deliver(kind, body, headers))
        }
        fc.assert(
          fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
            const body = JSON.parse(bytes.toString())
            mutate(body, changes)
            promised[kind]?.(body)
            neverCollide(kind, original, deliver(kind, body, headers))
          }),
          { numRuns: 60 },
        )
      })
})

test('a delivery that is sent again is known, from every sender that says when it happened', () => {
  const alert = { title: 'Disk is full', severity: 'high', service: 'checkout', description: '' } as const
  for (const kind of dated as SenderKind[]) {
    const sent = (at: Date, status: 'firing' | 'resolved') => {
      const made = senders[kind].sample({ ...alert, status, at })
      return deliver(kind, made.body, made.headers)
    }
    const at = new Date('2030-01-30T10:40:00Z')
    const first = sent(at, 'firing').deliveryId
    assert.notEqual(first, null, kind)
    assert.equal(sent(at, 'firing').deliveryId, first, kind)
    assert.notEqual(sent(at, 'resolved').deliveryId, first, kind)
    assert.notEqual(sent(new Date(at.getTime() + 60_000), 'firing').deliveryId, first, kind)
  }
})

test('two groups of one monitor in one evaluation are two deliveries, whatever the template calls the id', () => {
  const group = (host: string, fields: object) =>
    deliver('datadog', {
      ...{ id: '4711', title: `[Triggered on {host:${host}}] Disk is full`, date: '1896000000000' },
      ...fields,
    })
  for (const fields of [{}, { alert_id: '4711' }, { alert_transition: 'Triggered' }])
    neverCollide('datadog', group('a', fields), group('b', fields))
})

test('the same words without a time may be news, so they are never taken for a repetition', () => {
  for (const [kind, body] of [
    ['generic', { title: 'Disk is full' }],
    ['datadog', { title: '[Triggered] Disk is full', id: '4711' }],
    ['newrelic', { title: 'Disk is full', state: 'CREATED', id: '4711' }],
    ['opsgenie', { action: 'Create', alert: { alertId: '4711', message: 'Disk is full' } }],
    ['alertmanager', { alerts: [{ status: 'firing', labels: { alertname: 'Disk is full' } }] }],
    ['sentry', { action: 'unresolved', data: { issue: { id: '4711', title: 'Disk is full' } } }],
  ] as const)
    assert.deepEqual([deliver(kind, body).alerts.length, deliver(kind, body).deliveryId], [1, null], kind)
})

test('only where it is signed does a time in a header tell deliveries apart', () => {
  for (const kind of senderKinds)
    for (const name of fixtureNames(kind)) {
      const [without, timed] = [{}, headers].map(
        (given) => deliver(kind, bodyOf(kind, name), given).deliveryId,
      )
      if (kind !== 'generic') assert.equal(timed, without, `${kind} ${name}`)
      else assert.ok(without === null && timed !== null)
    }
})
