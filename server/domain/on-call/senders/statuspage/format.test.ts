import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

test('an incident fires until it is resolved; monitoring is not yet that', () => {
  const open = alertIn(deliverFixture('statuspage', 'incident'))
  assert.deepEqual(
    [open.title, open.status, open.severity, open.service],
    ['Labels print slowly', 'firing', 'high', 'Label printer'],
  )
  const over = alertIn(deliverFixture('statuspage', 'incident-resolved'))
  assert.deepEqual(
    [over.status, over.fingerprint, over.endedAt],
    ['resolved', open.fingerprint, '2030-08-08T15:00:00.000Z'],
  )
  for (const status of ['completed', 'postmortem']) {
    const reading = deliverFixture('statuspage', 'incident', (body) =>
      Object.assign(body.incident, { status }),
    )
    assert.equal(alertIn(reading).status, 'resolved', status)
  }
})

test('the secret address to unsubscribe is never shown', () => {
  for (const name of ['incident', 'component'])
    assert.ok(!JSON.stringify(deliverFixture('statuspage', name)).includes('unsubscribe'))
})

test('a reopened incident began again with its last update', () => {
  const reading = deliverFixture('statuspage', 'incident', ({ incident }) => {
    incident.incident_updates[1].status = 'resolved'
  })
  assert.equal(alertIn(reading).startedAt, '2030-08-08T14:50:44.758Z')
})

test('planned maintenance is info, whatever its impact', () => {
  assert.equal(alertIn(deliverFixture('statuspage', 'maintenance')).severity, 'info')
})

test('what is written down afterwards opens nothing', () => {
  const reading = deliverFixture('statuspage', 'incident', (body) =>
    Object.assign(body.incident, { backfilled: true }),
  )
  assert.equal(alertIn(reading).updateOnly, true)
})

test('a component fires until it is operational', () => {
  const down = deliverFixture('statuspage', 'component')
  assert.deepEqual([alertIn(down).title, alertIn(down).severity], ['Label printer: partial outage', 'high'])
  const up = alertIn(deliverFixture('statuspage', 'component-operational'))
  assert.deepEqual(
    [up.status, up.severityGiven, up.fingerprint],
    ['resolved', false, alertIn(down).fingerprint],
  )
})

test('what lacks its id or has an unknown status is told', () => {
  assert.match(
    deliver('statuspage', { incident: { incident_updates: [], name: 'x' } }).problem ?? '',
    /no `id`/,
  )
  assert.match(deliver('statuspage', { incident: { id: 'a', status: 'odd' } }).problem ?? '', /"odd"/)
  assert.match(deliver('statuspage', { component: { id: 'a', status: 'odd' } }).problem ?? '', /"odd"/)
  assert.match(deliver('statuspage', {}).problem ?? '', /neither `incident` nor `component`/)
})
