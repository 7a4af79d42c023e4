import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'
import { statusFor } from '../../signals/acceptance.ts'
import { generic } from './sender.ts'

test('one alert is an object with the fields of an alert; others are left to the sender', () => {
  const reading = deliverFixture('generic', 'one')
  assert.equal(reading.problem, null)
  assert.deepEqual(alertIn(reading), {
    title: 'Parcel queue is growing',
    status: 'firing',
    severity: 'high',
    fingerprint: 'queue-17',
    service: 'parcel-router',
    environment: 'production',
    description: '4,000 parcels wait.\nNormally 50.',
    startedAt: '2030-01-31T08:30:00.000Z',
    endedAt: null,
    labels: { region: 'eu-1', queue: 'outbound', depth: '4000', paged: 'true' },
    links: [{ label: 'Dashboard', url: 'https://dash.example.com/d/queue?from=now-1h' }],
    cuts: [],
    severityGiven: true,
    occurredAt: '2030-01-31T08:30:00.000Z',
    updateOnly: false,
    isTest: false,
    senderId: null,
  })
})

test('several alerts stand under alerts, each with its own status and identity', () => {
  const { alerts } = deliverFixture('generic', 'several')
  assert.deepEqual(
    alerts.map((alert) => [alert.status, alert.severity]),
    [
      ['firing', 'critical'],
      ['resolved', 'medium'],
      ['firing', 'medium'],
    ],
  )
  assert.equal(new Set(alerts.map((alert) => alert.fingerprint)).size, 3)
  assert.equal(alerts[1]?.occurredAt, '2030-01-31T09:45:00.000Z')
})

test('a title is all that is needed: firing, medium', () => {
  const alert = alertIn(deliver('generic', { title: 'Down' }))
  assert.equal(alert.status, 'firing')
  assert.equal(alert.severity, 'medium')
  assert.equal(alert.severityGiven, false)
  assert.deepEqual(
    alertIn(deliver('generic', { title: 'Down', status: null, labels: null, links: null, id: '' })),
    alert,
  )
})

test('the fingerprint is by default the id, else it follows from title and labels, in whatever order they stand', () => {
  const fingerprint = (alert: object) => alertIn(deliver('generic', alert)).fingerprint
  assert.equal(fingerprint({ title: 'A', fingerprint: 'f', id: 'i' }), 'f')
  assert.equal(fingerprint({ title: 'A', id: 17 }), '17')
  const hashed = fingerprint({ title: 'A', labels: { a: '1', b: '2' } })
  assert.match(hashed, /^[0-9a-f]{32}$/)
  assert.equal(
    fingerprint({ labels: { b: '2', a: '1' }, title: 'A', severity: 'low', status: 'resolved' }),
    hashed,
  )
  for (const other of [
    { title: 'B', labels: { a: '1', b: '2' } },
    { title: 'A', labels: { a: '1', b: '3' } },
    { title: 'A', labels: { a: '1' } },
    { title: 'A', labels: { 'a","1': '', b: '2' } },
    { title: 'A' },
  ])
    assert.notEqual(fingerprint(other), hashed)
})

test('an id keeps all its digits', () => {
  const read = (id: string) => alertIn(deliver('generic', `{"title":"A","id":${id}}`)).fingerprint
  assert.equal(read('9007199254740993'), '9007199254740993')
  assert.notEqual(read('9007199254740993'), read('9007199254740992'))
})

test('a fingerprint that cannot be stored is replaced by its hash', () => {
  for (const odd of ['x'.repeat(10_000), 'a\0b', 'a\uD800b', 'a\nb'])
    assert.match(alertIn(deliver('generic', { title: 'A', fingerprint: odd })).fingerprint, /^[0-9a-f]{32}$/)
})

test('a mistake is refused with the field and the remedy', () => {
  for (const [body, named] of [
    [{}, /`title` is missing\. Give the alert a title/],
    [{ title: '' }, /`title` is empty/],
    [{ title: ' \n\u0007' }, /`title` is empty/],
    [{ title: '\u200B\u200D\uFEFF\u2060' }, /`title` is empty/],
    [{ title: '\u3164\u2800\u00AD' }, /`title` is empty/],
    [{ title: 17 }, /`title` must be text/],
    [{ title: 'A', status: 'ok' }, /`status` is "ok"\. It must be firing or resolved/],
    [{ title: 'A', status: ['firing'] }, /`status` is not text/],
    [{ title: 'A', fingerprint: {} }, /`fingerprint` must be text/],
    [{ title: 'A', severity: {} }, /`severity` must be text/],
    [{ title: 'A', service: [] }, /`service` must be text/],
    [{ title: 'A', startedAt: 'yesterday' }, /`startedAt` is not a time\. Write it like 2030/],
    [{ title: 'A', endedAt: {} }, /`endedAt` is not a time/],
    [{ title: 'A', labels: ['a'] }, /`labels` must be an object/],
    [{ title: 'A', labels: 'a=b' }, /`labels` must be an object/],
    [{ title: 'A', links: {} }, /`links` must be a list/],
    [{ title: 'A', links: ['https://example.com'] }, /`links` must be a list of objects/],
    [{ alerts: {} }, /`alerts` must be a list/],
    [{ alerts: [] }, /`alerts` is empty/],
    [{ alerts: ['A'] }, /`alerts\[0\]` must be an object/],
    [{ alerts: [{ status: 'firing' }] }, /`alerts\[0\]\.title` is missing/],
    [[{ title: 'A' }], /not an object/],
    ['"text"', /not an object/],
    ['{', /not JSON/],
    ['', /empty/],
  ] as const) {
    const reading = deliver('generic', body)
    assert.match(reading.problem ?? '', named, JSON.stringify(body))
    assert.deepEqual(reading.alerts, [])
    assert.equal(statusFor(generic, reading), 400)
  }
})

test('of several alerts the right ones are used, and the wrong ones are told', () => {
  const reading = deliver('generic', { alerts: [{ title: 'A' }, {}, { title: 'C' }, {}, {}, {}] })
  assert.deepEqual(
    reading.alerts.map((alert) => alert.title),
    ['A', 'C'],
  )
  assert.match(reading.problem ?? '', /`alerts\[1\]\.title` is missing.*There are 1 more faults/s)
  assert.equal(statusFor(generic, reading), 202)
})

test('a link that no one should open is left out and told; the alert is used', () => {
  const reading = deliver('generic', { title: 'A', links: [{ label: 'x', url: 'javascript:alert(1)' }] })
  assert.deepEqual(alertIn(reading).links, [])
  assert.match(reading.problem ?? '', /`links\[0\]\.url`/)
  assert.equal(statusFor(generic, reading), 202)
})

test('a time that cannot be is left out and told; the alert is kept', () => {
  for (const startedAt of ['2030-01-31T09:30:00+99:99', '2030-02-30T00:00:00Z']) {
    const reading = deliver('generic', { title: 'A', startedAt })
    assert.equal(alertIn(reading).startedAt, null)
    assert.match(reading.problem ?? '', /`startedAt` is a time that cannot be/)
    assert.equal(statusFor(generic, reading), 202)
  }
})

test('a zero time is none, a long title is cut', () => {
  const alert = alertIn(
    deliver('generic', { title: 'x'.repeat(1000), endedAt: '0001-01-01T00:00:00Z', startedAt: 1896000000 }),
  )
  assert.equal(alert.endedAt, null)
  assert.equal(alert.startedAt, '2030-01-30T10:40:00.000Z')
  assert.equal(alert.title.length, 300)
})

test('keys that every object has are fields like others', () => {
  const alert = alertIn(
    deliver(
      'generic',
      '{"title":"A","__proto__":{"status":"resolved"},"labels":{"__proto__":"x","constructor":"y"}}',
    ),
  )
  assert.equal(alert.status, 'firing')
  assert.deepEqual(Object.entries(alert.labels), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
})
