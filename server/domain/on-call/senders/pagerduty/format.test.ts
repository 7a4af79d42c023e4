import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, bodyOf, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'
import { newsOf } from '../../signals/follow.ts'

test('an incident fires, is acknowledged and recovers under one identity', () => {
  const [triggered, acknowledged, resolved] = ['triggered', 'acknowledged', 'resolved'].map((name) =>
    alertIn(deliverFixture('pagerduty', name)),
  )
  assert.deepEqual(
    [triggered, acknowledged, resolved].map((alert) => [
      alert?.status,
      alert?.updateOnly,
      alert?.fingerprint,
      alert?.senderId,
    ]),
    [
      ['firing', false, 'QEXAMPLE0000001', 'QEXAMPLE0000001'],
      ['firing', true, 'QEXAMPLE0000001', 'QEXAMPLE0000001'],
      ['resolved', false, 'QEXAMPLE0000001', 'QEXAMPLE0000001'],
    ],
  )
  assert.equal(triggered?.service, 'checkout')
  assert.equal(resolved?.endedAt, '2030-04-07T03:49:36.358Z')
})

test('the priority comes before the urgency', () => {
  assert.equal(alertIn(deliverFixture('pagerduty', 'triggered')).severity, 'critical')
  assert.equal(alertIn(deliverFixture('pagerduty', 'acknowledged')).severity, 'low')
  const bare = deliverFixture('pagerduty', 'acknowledged', (body) => delete body.event.data.urgency)
  assert.equal(alertIn(bare).severityGiven, false)
})

test('a merge recovers the incident without being a recovery of its own', () => {
  const alert = alertIn(deliverFixture('pagerduty', 'merged'))
  assert.deepEqual([alert.status, alert.updateOnly], ['resolved', true])
  assert.ok(alert.links.some(({ label }) => label === 'Merged into'))
})

test('a reopened incident fires again, although it was created before it recovered', () => {
  const alert = alertIn(
    deliverFixture('pagerduty', 'triggered', ({ event }) => {
      event.event_type = 'incident.reopened'
      event.occurred_at = '2030-04-07T04:00:00.000Z'
    }),
  )
  assert.equal(alert.startedAt, '2030-04-07T04:00:00.000Z')
  const recoveredAt = new Date('2030-04-07T03:49:36.358Z')
  const known = { status: 'resolved', severity: 'low', occurredAt: recoveredAt, recoveredAt } as const
  assert.equal(newsOf(known, alert, new Date('2030-04-07T04:00:01Z')), 'again')
})

test('a raised priority may open an incident while no one has acknowledged it; other events never do', () => {
  const updateOnly = (type: string, status: string) =>
    alertIn(
      deliverFixture('pagerduty', 'triggered', ({ event }) => {
        event.event_type = type
        event.data.status = status
      }),
    ).updateOnly
  assert.equal(updateOnly('incident.priority_updated', 'triggered'), false)
  assert.equal(updateOnly('incident.priority_updated', 'acknowledged'), true)
  for (const type of [
    'incident.unacknowledged',
    'incident.escalated',
    'incident.reassigned',
    'incident.delegated',
  ])
    assert.equal(updateOnly(type, 'triggered'), true, type)
})

test('without created_at, as in older ones, the incident began with the event', () => {
  const reading = deliverFixture('pagerduty', 'triggered', (body) => delete body.event.data.created_at)
  assert.equal(alertIn(reading).startedAt, '2030-04-07T03:47:13.414Z')
})

test('a ping is a test', () => {
  const reading = deliverFixture('pagerduty', 'ping')
  assert.deepEqual([reading.test, reading.alerts, reading.problem], [true, [], null])
})

test('the id of a note is not that of its incident', () => {
  const reading = deliverFixture('pagerduty', 'annotated')
  assert.deepEqual(
    [reading.alerts, reading.problem],
    [[], 'The event "incident.annotated" changes no incident.'],
  )
})

test('an incident without id or with an unknown status is told; one without a title still has one', () => {
  assert.match(
    deliverFixture('pagerduty', 'triggered', (body) => delete body.event.data.id).problem ?? '',
    /no `event\.data\.id`/,
  )
  const odd = deliverFixture('pagerduty', 'triggered', ({ event }) => {
    event.event_type = 'incident.odd'
    event.data.status = 'odd'
  })
  assert.match(odd.problem ?? '', /status "odd"/)
  const untitled = deliverFixture('pagerduty', 'triggered', (body) => delete body.event.data.title)
  assert.equal(alertIn(untitled).title, 'PagerDuty incident QEXAMPLE0000001')
  assert.match(deliver('pagerduty', { messages: [] }).problem ?? '', /version 3/)
})

test('a delivery is known by the id that is signed, else by the header', () => {
  const body = bodyOf('pagerduty', 'triggered')
  assert.equal(
    deliver('pagerduty', body, { 'x-webhook-id': 'forged' }).deliveryId,
    '01EXAMPLE0000000000000001',
  )
  const bare = { event: { event_type: 'pagey.ping', data: {} } }
  assert.equal(deliver('pagerduty', bare, { 'x-webhook-id': 'w-1' }).deliveryId, 'w-1')
})
