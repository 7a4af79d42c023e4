import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

const id = '00000000-0000-4000-8000-0000000000aa'
const withAction = (action: string) =>
  deliverFixture('opsgenie', 'create', (body) => Object.assign(body, { action }))

test('an alert is created, acknowledged and closed under one identity', () => {
  assert.deepEqual(
    ['create', 'acknowledge', 'close'].map((name) => {
      const alert = alertIn(deliverFixture('opsgenie', name))
      return [
        alert.status,
        alert.updateOnly,
        alert.severity,
        alert.severityGiven,
        alert.fingerprint,
        alert.senderId,
      ]
    }),
    [
      ['firing', false, 'high', true, id, id],
      ['firing', true, 'high', true, id, id],
      ['resolved', false, 'medium', false, id, id],
    ],
  )
})

test('a deleted alert is over; the case of an action does not matter', () => {
  assert.equal(alertIn(withAction('Delete')).status, 'resolved')
  assert.equal(alertIn(withAction('close')).status, 'resolved')
})

test('other actions change no alert, whatever they are called', () => {
  for (const action of [
    'AddNote',
    'AddTags',
    'Snooze',
    'EscalateNext',
    'AssignOwnership',
    'Make coffee',
    'constructor',
  ]) {
    const reading = withAction(action)
    assert.deepEqual([reading.alerts, reading.problem], [[], `The action "${action}" changes no alert.`])
  }
  assert.equal(deliverFixture('opsgenie', 'escalate').alerts.length, 0)
})

test('a changed priority or message updates what is known', () => {
  for (const action of ['UpdatePriority', 'UpdateMessage', 'UpdateDescription', 'UnAcknowledge'])
    assert.equal(alertIn(withAction(action)).updateOnly, true, action)
})

test('the title has no blanks around it; tags are no priority; what is nested in details is left out', () => {
  const alert = alertIn(deliverFixture('opsgenie', 'create'))
  assert.equal(alert.title, 'Parcel 17 is stuck')
  assert.deepEqual(alert.labels, {
    tags: 'P0, stuck',
    env: 'production',
    alias: 'parcel-17',
    source: 'mo@example.com',
    team: '00000000-0000-4000-8000-0000000000cc',
    depot: 'north',
    attempts: '3',
  })
  assert.deepEqual([alert.service, alert.environment], ['parcel-router', 'production'])
})

test('deliveries that differ in the nineteenth digit are two', () => {
  const body = (updatedAt: string) =>
    `{"action":"Acknowledge","alert":{"alertId":"a","message":"m","updatedAt":${updatedAt}}}`
  assert.notEqual(
    deliver('opsgenie', body('1896000030764002247')).deliveryId,
    deliver('opsgenie', body('1896000030764002248')).deliveryId,
  )
  assert.equal(
    alertIn(deliver('opsgenie', body('1896000030764002247'))).occurredAt,
    '2030-01-30T10:40:30.764Z',
  )
})

test('what has no identity or no title is told', () => {
  assert.match(deliver('opsgenie', { action: 'Create', alert: { message: 'm' } }).problem ?? '', /alertId/)
  assert.match(
    deliver('opsgenie', { action: 'Create', alert: { alertId: 'a' } }).problem ?? '',
    /alert\.message/,
  )
  assert.equal(
    alertIn(deliver('opsgenie', { action: 'Close', alert: { alertId: 'a' } })).title,
    'Opsgenie alert a',
  )
})
