import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

const titled = (title: string) => deliver('datadog', { title })

test('the default template tells all in its title', () => {
  const alert = alertIn(deliverFixture('datadog', 'default-template'))
  assert.deepEqual([alert.title, alert.status, alert.severity], ['[Parcels] Disk is full', 'firing', 'high'])
  assert.equal(alert.startedAt, '2030-01-30T10:40:00.000Z')
  assert.equal(alert.labels.scope, 'host:router-3')
  assert.deepEqual(alert.links, [
    { label: 'Monitor', url: 'https://app.datadoghq.example.com/monitors/4711?group=host%3Arouter-3' },
  ])
  const recovered = titled('[P2] [Recovered on {host:router-3}] [Parcels] Disk is full')
  assert.deepEqual(
    [alertIn(recovered).status, alertIn(recovered).fingerprint],
    ['resolved', alert.fingerprint],
  )
})

test('the same monitor on another host is another alert', () => {
  const on = (host: string) => alertIn(titled(`[Triggered on {host:${host}}] Disk is full`)).fingerprint
  assert.notEqual(on('a'), on('b'))
})

test('each transition fires or recovers', () => {
  for (const state of ['Triggered', 'Re-Triggered', 'Warn', 'Re-Warn', 'No Data', 'Re-No Data', 'Renotify']) {
    assert.equal(alertIn(deliver('datadog', { title: 'X', alert_transition: state })).status, 'firing', state)
    assert.equal(alertIn(titled(`[P3] [${state}] X`)).status, 'firing', state)
  }
  assert.equal(
    alertIn(deliver('datadog', { title: 'X', transition: 'Recovered by hand' })).status,
    'resolved',
  )
  assert.equal(alertIn(deliver('datadog', { title: 'X', alertType: 'success' })).status, 'resolved')
  assert.equal(alertIn(deliver('datadog', { title: 'X', alertType: 'error' })).status, 'firing')
})

test('a flat template is read whatever its names are; variables without a value say nothing', () => {
  const reading = deliverFixture('datadog', 'flat-template')
  const alert = alertIn(reading)
  assert.deepEqual(
    [alert.status, alert.fingerprint, alert.service, alert.environment, alert.severityGiven],
    ['resolved', 'monitor:4711:host:router-3', 'parcel-router', 'production', false],
  )
  assert.equal(alert.labels.team, 'a, b')
  assert.ok(!JSON.stringify(reading).includes('not to be shown'), 'what has no place in an alert is not kept')
})

test('the aggregation key is the identity, wherever the template puts it', () => {
  const alert = alertIn(deliverFixture('datadog', 'nested-template'))
  assert.equal(alert.fingerprint, '0123456789abcdef0123456789abcdef')
  assert.equal(alert.title, '[Synthetics] Shop front')
  const renamed = deliverFixture('datadog', 'nested-template', (body) => {
    body.title = '[P4] [Recovered] [Synthetics] Shop'
    body.alert.alert_transition = 'Recovered'
  })
  assert.equal(alertIn(renamed).fingerprint, alert.fingerprint)
})

test('the priority comes before the type', () => {
  const severity = (fields: object) =>
    alertIn(deliver('datadog', { title: '[Triggered] X', ...fields })).severity
  assert.equal(severity({ alert_priority: 'P4', alert_type: 'error' }), 'low')
  assert.equal(severity({ title: '[P5] [Triggered] X', alert_type: 'error' }), 'info')
  assert.equal(severity({ alert_type: 'error' }), 'high')
  assert.equal(severity({ alert_type: 'warning' }), 'medium')
  assert.equal(severity({ alert_transition: 'Triggered', alert_type: 'info' }), 'info')
  assert.equal(severity({}), 'medium')
})

test('a comment that mentions the webhook is no alert', () => {
  const reading = deliver('datadog', {
    title: 'Have a look',
    event_type: 'comment',
    body: '@webhook-signalbox',
  })
  assert.deepEqual(reading.alerts, [])
  assert.match(reading.problem ?? '', /"comment".*alert_transition/)
})

test('a notification sent from the editor of a monitor is a test', () => {
  assert.equal(titled('[TEST] [Triggered] X').test, true)
  assert.equal(titled('[Triggered] [TEST] X').test, false)
})

test('the priority of the event is no severity: only P1 to P5 count, from either field', () => {
  const severity = (fields: object) =>
    alertIn(deliver('datadog', { title: '[Triggered] X', ...fields })).severity
  assert.equal(severity({ priority: 'normal', alert_type: 'error' }), 'high')
  assert.equal(severity({ priority: 'low', alert_type: 'warning' }), 'medium')
  assert.equal(severity({ priority: 'P2', alert_type: 'warning' }), 'high')
  assert.equal(severity({ alert_priority: 'normal', priority: 'p1' }), 'critical')
  assert.equal(severity({ title: '[P5] [Triggered] X', priority: 'normal', alert_type: 'error' }), 'info')
  const recovered = alertIn(
    deliver('datadog', { title: '[Recovered] X', priority: 'normal', alert_type: 'success' }),
  )
  assert.equal(recovered.severityGiven, false)
})

test('variables under `metadata` are read', () => {
  const { title, status, severity, fingerprint, labels, service } = alertIn(
    deliver('datadog', {
      title: '[Triggered] Host is down',
      metadata: {
        ...{ AGGREG_KEY: '0123456789abcdef', ALERT_TYPE: 'error', ALERT_TRANSITION: 'Triggered' },
        ...{ PRIORITY: 'normal', ALERT_SCOPE: 'host:a', TAGS: ['service:shop', 'b'], ID: '17' },
      },
    }),
  )
  assert.deepEqual(
    [title, status, severity, fingerprint, labels.scope, service],
    ['Host is down', 'firing', 'high', '0123456789abcdef', 'host:a', 'shop'],
  )
})
