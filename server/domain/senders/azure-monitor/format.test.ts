import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../test/deliver.ts'

test('an alert fires and is resolved under one identity, whatever the case of its id', () => {
  const fired = alertIn(deliverFixture('azure_monitor', 'fired'))
  const resolved = alertIn(deliverFixture('azure_monitor', 'resolved'))
  assert.deepEqual([fired.title, fired.status, fired.severity], ['Router CPU', 'firing', 'high'])
  assert.deepEqual([fired.service, fired.environment], ['parcel-router', 'production'])
  assert.equal(resolved.fingerprint, fired.fingerprint)
  assert.deepEqual([resolved.status, resolved.endedAt], ['resolved', '2030-07-22T14:03:16.224Z'])
})

test('the service is the resource where nobody named one', () => {
  const service = (change: (body: { data: Record<string, unknown> }) => void) =>
    alertIn(
      deliverFixture('azure_monitor', 'fired', (body) => {
        delete body.data.customProperties
        change(body)
      }),
    ).service
  assert.equal(
    service(() => {}),
    'router-3',
  )
  assert.equal(
    service(({ data }) => delete (data.essentials as Record<string, unknown>).configurationItems),
    'router-3',
  )
})

test('a recovery of the cloud itself says Fired, and is one', () => {
  const over = alertIn(deliverFixture('azure_monitor', 'service-health-over'))
  assert.deepEqual(
    [over.status, over.service, over.endedAt],
    ['resolved', 'Storage', '2030-07-22T12:00:00.000Z'],
  )
  const active = deliverFixture('azure_monitor', 'service-health-over', ({ data }) => {
    data.essentials.originAlertId = 'another'
    data.alertContext.status = 'Active'
    data.alertContext.properties.stage = 'Active'
  })
  assert.deepEqual([alertIn(active).status, alertIn(active).fingerprint], ['firing', over.fingerprint])
})

test('an alert of the activity log may share its id with others of its rule', () => {
  const from = (origin: string) =>
    alertIn(
      deliverFixture('azure_monitor', 'fired', ({ data }) => {
        data.essentials.signalType = 'Activity Log'
        data.essentials.originAlertId = origin
      }),
    ).fingerprint
  assert.notEqual(from('a'), from('b'))
})

test('a budget has neither rule nor severity', () => {
  const reading = deliverFixture('azure_monitor', 'fired', ({ data }) => {
    Object.assign(data.essentials, {
      alertRule: null,
      severity: null,
      signalType: null,
      alertTargetIDs: null,
    })
    data.essentials.description = ''
    data.alertContext = { AlertData: { BudgetName: 'Shop budget' } }
  })
  const alert = alertIn(reading)
  assert.deepEqual([alert.title, alert.severity, alert.severityGiven], ['Shop budget', 'medium', false])
})

test('what the test of an action group sends is a test', () => {
  assert.equal(deliverFixture('azure_monitor', 'test-action').test, true)
  assert.equal(deliverFixture('azure_monitor', 'fired').test, false)
  const budget = deliverFixture('azure_monitor', 'fired', (body) => {
    body.data.essentials.description = 'Delivery Confirmation: a sample'
  })
  assert.equal(budget.test, true)
  const health = deliverFixture('azure_monitor', 'service-health-over', (body) => {
    body.data.alertContext.properties.IsSynthetic = 'True'
  })
  assert.equal(health.test, true)
})

test('metric alerts of before the common schema are read as well', () => {
  const alert = alertIn(deliverFixture('azure_monitor', 'metric'))
  assert.deepEqual([alert.title, alert.status, alert.severity], ['RouterCPU', 'firing', 'high'])
  const over = deliverFixture('azure_monitor', 'metric', (body) =>
    Object.assign(body.data, { status: 'Deactivated' }),
  )
  assert.deepEqual([alertIn(over).status, alertIn(over).fingerprint], ['resolved', alert.fingerprint])
})

test('other shapes are told, with the switch to turn', () => {
  const reading = deliver('azure_monitor', {
    schemaId: 'Microsoft.Insights/activityLogs',
    data: { status: 'Activated' },
  })
  assert.match(reading.problem ?? '', /common alert schema/)
})
