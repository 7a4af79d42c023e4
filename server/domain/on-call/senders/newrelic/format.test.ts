import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

const id = '00000000-0000-4000-8000-00000000000a'

test('an issue is created, acknowledged and closed under one identity', () => {
  assert.deepEqual(
    ['created', 'acknowledged', 'closed'].map((name) => {
      const alert = alertIn(deliverFixture('newrelic', name))
      return [alert.status, alert.updateOnly, alert.severity, alert.fingerprint]
    }),
    [
      ['firing', false, 'critical', id],
      ['firing', true, 'critical', id],
      ['resolved', false, 'critical', id],
    ],
  )
})

test('what a template writes for nothing says nothing; numbers become text', () => {
  const alert = alertIn(deliverFixture('newrelic', 'created'))
  assert.deepEqual(alert.labels, {
    policy: 'Golden signals',
    condition: 'High CPU',
    workflow: 'Shop',
    incidents: '1',
    env: 'production',
    cost: '13.5',
  })
  assert.deepEqual([alert.service, alert.environment], ['ROUTER-3', 'production'])
})

test('one closed incident does not close an issue that is active', () => {
  const reading = deliverFixture('newrelic', 'created', (body) => {
    Object.assign(body, { state: 'ACTIVATED', trigger: 'INCIDENT_CLOSED' })
  })
  assert.equal(alertIn(reading).status, 'firing')
})

test('an issue that was merged into another recovers without being a recovery of its own', () => {
  const reading = deliverFixture('newrelic', 'closed', (body) =>
    Object.assign(body, { trigger: 'MERGE_REQUEST' }),
  )
  assert.deepEqual([alertIn(reading).status, alertIn(reading).updateOnly], ['resolved', true])
})

test('without an id, the address of the issue is its identity, and then its title', () => {
  const bare = deliverFixture('newrelic', 'created', (body) => delete body.id)
  assert.equal(alertIn(bare).fingerprint, id)
  const title = { title: 'High CPU', state: 'CREATED' }
  assert.match(alertIn(deliver('newrelic', title)).fingerprint, /^[0-9a-f]{32}$/)
})

test('a template without the fields that are needed is told', () => {
  assert.match(deliver('newrelic', { one: 1 }).problem ?? '', /no `state`/)
  assert.match(deliver('newrelic', { state: 'CREATED' }).problem ?? '', /Add `id`/)
  assert.match(deliver('newrelic', { state: 'ODD', id: '1' }).problem ?? '', /"ODD"/)
})

test('the channels of before are read as well, and their test is a test', () => {
  const alert = alertIn(deliverFixture('newrelic', 'legacy'))
  assert.deepEqual(
    [alert.title, alert.severity, alert.fingerprint],
    ['Disk is full', 'medium', 'incident:4711'],
  )
  const acknowledged = deliverFixture('newrelic', 'legacy', (body) =>
    Object.assign(body, { current_state: 'acknowledged' }),
  )
  assert.equal(alertIn(acknowledged).updateOnly, true)
  const trial = deliverFixture('newrelic', 'legacy', (body) => Object.assign(body, { incident_id: 0 }))
  assert.equal(trial.test, true)
})

test('the older press of the test button is a test, not a fault', () => {
  const reading = deliverFixture('newrelic', 'legacy', (body) =>
    Object.assign(body, { current_state: 'test', details: 'New Relic Alert - Channel Test' }),
  )
  assert.deepEqual([reading.test, reading.problem], [true, null])
})

test('a template that names the older state beside its own is one of a workflow', () => {
  for (const current_state of [null, '', 'N/A', 'open']) {
    const reading = deliverFixture('newrelic', 'created', (body) => Object.assign(body, { current_state }))
    assert.deepEqual([alertIn(reading).status, alertIn(reading).fingerprint], ['firing', id])
  }
})

test('a runbook that is no address stays text', () => {
  const reading = deliverFixture('newrelic', 'created', (body) =>
    Object.assign(body, { runbookUrl: 'wiki, page Disks' }),
  )
  assert.match(alertIn(reading).description ?? '', /^Runbook: wiki, page Disks$/m)
})
