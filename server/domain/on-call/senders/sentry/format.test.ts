import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, bodyOf, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'
import { newsOf } from '../../signals/follow.ts'

test('a rule that fired and the recovery of its issue are one alert', () => {
  const fired = alertIn(deliverFixture('sentry', 'event-alert'))
  assert.deepEqual(
    [fired.fingerprint, fired.status, fired.severity, fired.service, fired.environment],
    ['issue:4711', 'firing', 'high', 'parcel-router', 'production'],
  )
  const resolved = alertIn(deliverFixture('sentry', 'issue-resolved'))
  assert.deepEqual([resolved.fingerprint, resolved.status], ['issue:4711', 'resolved'])
  assert.deepEqual(
    fired.links.map(({ url }) => url),
    ['https://sentry.example.com/organizations/shop/issues/4711/events/e00000000000000000000000000000e1/'],
  )
})

test('older events tell their issue by its address', () => {
  const reading = deliverFixture('sentry', 'event-alert', (body) => delete body.data.event.issue_id)
  assert.equal(alertIn(reading).fingerprint, 'issue:4711')
  const bare = deliverFixture('sentry', 'event-alert', (body) => {
    delete body.data.event.issue_id
    delete body.data.event.issue_url
  })
  assert.match(bare.problem ?? '', /neither `issue_id` nor `issue_url`/)
})

test('a new issue fires, and one that comes back fires again', () => {
  assert.equal(alertIn(deliverFixture('sentry', 'issue-created')).startedAt, '2030-05-04T18:17:18.320Z')
  const back = alertIn(
    deliverFixture('sentry', 'issue-created', (body) => Object.assign(body, { action: 'unresolved' })),
  )
  const recoveredAt = new Date('2030-05-05T00:00:00Z')
  const known = { status: 'resolved', severity: 'high', occurredAt: recoveredAt, recoveredAt } as const
  assert.equal(newsOf(known, back, new Date('2030-05-06T00:00:00Z')), 'again')
})

test('assigning, archiving and ignoring change nothing', () => {
  for (const action of ['assigned', 'archived', 'ignored', 'odd']) {
    const reading = deliverFixture('sentry', 'issue-created', (body) => Object.assign(body, { action }))
    assert.deepEqual(
      [reading.alerts, reading.problem],
      [[], `The action "${action}" of an issue neither fires nor resolves it.`],
    )
  }
})

test('a metric alert has the severity of its action, which becomes milder without recovering', () => {
  const read = (action: string) =>
    alertIn(deliverFixture('sentry', 'metric-alert', (body) => Object.assign(body, { action })))
  assert.deepEqual([read('critical').severity, read('critical').status], ['critical', 'firing'])
  assert.deepEqual([read('warning').severity, read('warning').status], ['medium', 'firing'])
  assert.deepEqual([read('resolved').severityGiven, read('resolved').status], [false, 'resolved'])
  assert.equal(read('warning').title, 'Too many timeouts')
  assert.equal(read('resolved').fingerprint, 'metric:88')
})

test('the header tells the resource, and without it the body does', () => {
  const body = bodyOf('sentry', 'issue-created')
  assert.equal(deliver('sentry', body, { 'sentry-hook-resource': 'issue' }).alerts.length, 1)
  const other = deliver('sentry', body, { 'sentry-hook-resource': 'comment' })
  assert.deepEqual([other.alerts, other.problem], [[], 'The resource "comment" is not about an alert.'])
  assert.equal(deliver('sentry', { action: 'created', data: { installation: {} } }).alerts.length, 0)
})

test('samples are tests', () => {
  const tagged = deliverFixture('sentry', 'event-alert', (body) =>
    body.data.event.tags.push(['sample_event', 'yes']),
  )
  assert.equal(tagged.test, true)
  const titled = deliverFixture('sentry', 'issue-created', (body) => {
    body.data.issue.title = 'This is an example Python exception'
  })
  assert.equal(titled.test, true)
  assert.equal(deliverFixture('sentry', 'event-alert').test, false)
})
