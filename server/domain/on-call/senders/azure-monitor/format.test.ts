import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

test('an alert fires and is resolved under one identity, whatever the case of its id', () => {
  const fired = alertIn(deliverFixture('azure_monitor', 'fired'))
  const resolved = alertIn(deliverFixture('azure_monitor', 'resolved'))
  assert.deepEqual([fired.title, fired.status, fired.severity], ['Router CPU', 'firing', 'high'])
  assert.deepEqual([fired.service, fired.environment], ['parcel-router', 'production'])
  assert.equal(resolved.fingerprint, fired.fingerprint)
  assert.deepEqual([resolved.status, resolved.endedAt], ['resolved', '2030-07-22T14:03:16.224Z'])
})

test('the service is the resource where no one named one', () => {
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

test('the recovery of a resource arrives as Fired too, as an alert of its own, and recovers it', () => {
  const down = alertIn(deliverFixture('azure_monitor', 'resource-health'))
  assert.deepEqual([down.status, down.severity, down.service], ['firing', 'high', 'router-3'])
  const up = alertIn(
    deliverFixture('azure_monitor', 'resource-health', ({ data }) => {
      data.essentials.alertId += '2'
      data.essentials.originAlertId += '2'
      data.essentials.firedDateTime = '2030-07-22T14:10:00Z'
      data.essentials.alertTargetIDs[0] = data.essentials.alertTargetIDs[0].toUpperCase()
      data.alertContext.operationName = 'Microsoft.ResourceHealth/healthevent/Resolved/action'
      data.alertContext.status = 'Resolved'
      data.alertContext.properties.currentHealthStatus = 'Available'
    }),
  )
  assert.deepEqual([up.status, up.fingerprint], ['resolved', down.fingerprint])
  assert.deepEqual(
    [up.startedAt, up.endedAt, up.occurredAt],
    [null, '2030-07-22T14:10:00.000Z', '2030-07-22T14:10:00.000Z'],
  )
  const other = deliverFixture('azure_monitor', 'resource-health', ({ data }) => {
    data.essentials.alertTargetIDs[0] += '4'
  })
  assert.notEqual(alertIn(other).fingerprint, down.fingerprint)
})

test('a sample of a budget is a test, whatever its description', () => {
  const sample = deliverFixture('azure_monitor', 'fired', (body) => {
    body.data.essentials.alertId = '/subscriptions/0/providers/Microsoft.CostManagement/alerts/Test_Alert'
  })
  assert.equal(sample.test, true)
})

test('the activity log is understood without the common schema: each event by itself', () => {
  const event = (change: (log: Record<string, unknown>) => void = () => {}) =>
    alertIn(deliverFixture('azure_monitor', 'activity-log', ({ data }) => change(data.context.activityLog)))
  const { title, status, severity, service, environment, startedAt, description } = event()
  assert.deepEqual([title, status, severity], ['Queue deleted', 'firing', 'high'])
  assert.deepEqual([service, environment], ['labels', 'production'])
  assert.deepEqual([startedAt, description], ['2030-07-22T13:00:00.850Z', 'Somebody deleted the queue'])
  const another = event((log) => Object.assign(log, { eventDataId: 'another' }))
  assert.notEqual(another.fingerprint, event().fingerprint)
  assert.equal(event((log) => Object.assign(log, { level: 'Informational' })).severity, 'info')
})

test('the recovery of a resource is understood without the common schema too', () => {
  const health = (state: string, id: string) =>
    alertIn(
      deliverFixture('azure_monitor', 'activity-log', ({ data }) =>
        Object.assign(data.context.activityLog, {
          operationName: `Microsoft.Resourcehealth/healthevent/${state}/action`,
          eventDataId: id,
        }),
      ),
    )
  const [down, up] = [health('Activated', 'a'), health('Resolved', 'b')]
  assert.deepEqual([down.status, up.status, up.fingerprint], ['firing', 'resolved', down.fingerprint])
})

test('log alerts are understood without the common schema: a rule and its dimensions are one alert', () => {
  const alert = alertIn(deliverFixture('azure_monitor', 'log-alert'))
  assert.deepEqual([alert.title, alert.status, alert.severity], ['Failed labels', 'firing', 'high'])
  assert.deepEqual(
    [alert.startedAt, alert.labels.printer, alert.links[0]?.url],
    ['2030-07-22T13:11:24.000Z', '3', 'https://portal.azure.example.com/logs?query=requests'],
  )
  const again = (change: (data: Record<string, unknown>) => void) =>
    alertIn(deliverFixture('azure_monitor', 'log-alert', ({ data }) => change(data)))
  assert.equal(
    again((data) => Object.assign(data, { SearchIntervalEndtimeUtc: '2030-07-22T13:26:24' })).fingerprint,
    alert.fingerprint,
  )
  assert.notEqual(
    again((data) => Object.assign(data, { Dimensions: [{ name: 'printer', value: '4' }] })).fingerprint,
    alert.fingerprint,
  )
  assert.equal(again((data) => Object.assign(data, { Severity: 'Sev 0' })).severity, 'critical')
})
