import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

test('the alerts of a group, each with its status, times and identity', () => {
  const { alerts } = deliverFixture('alertmanager', 'firing')
  assert.deepEqual(
    alerts.map((alert) => [alert.fingerprint, alert.status, alert.severity, alert.startedAt, alert.endedAt]),
    [
      ['1000000000000000', 'firing', 'medium', '2030-03-01T00:00:00.000Z', null],
      ['1000000000000001', 'resolved', 'low', '2030-03-01T00:00:00.000Z', '2030-03-01T00:10:00.000Z'],
    ],
  )
  assert.deepEqual([alerts[0]?.service, alerts[0]?.environment], ['lockers', 'eu-1'])
  assert.deepEqual(
    alerts[0]?.links.map(({ label }) => label),
    ['Source', 'Dashboard', 'Alertmanager'],
  )
})

test('how many alerts were cut off is told', () => {
  assert.match(deliverFixture('alertmanager', 'firing').problem ?? '', /left out 3 more that didn’t fit/)
})

test('a recovery whose end is the zero time has none', () => {
  const reading = deliverFixture('alertmanager', 'firing', (body) => {
    body.alerts[1].endsAt = '0001-01-01T00:00:00Z'
  })
  assert.deepEqual([reading.alerts[1]?.endedAt, reading.alerts[1]?.occurredAt], [null, null])
})

test('old versions send no fingerprint: the labels are it, in whatever order', () => {
  const alert = alertIn(deliverFixture('alertmanager', 'version-3'))
  assert.match(alert.fingerprint, /^[0-9a-f]{32}$/)
  const turned = deliverFixture('alertmanager', 'version-3', (body) => {
    body.alerts[0].labels = Object.fromEntries(Object.entries(body.alerts[0].labels).reverse())
    body.alerts[0].status = 'resolved'
  })
  assert.equal(alertIn(turned).fingerprint, alert.fingerprint)
  const other = deliverFixture('alertmanager', 'version-3', (body) => {
    body.alerts[0].labels.severity = 'low'
  })
  assert.notEqual(alertIn(other).fingerprint, alert.fingerprint)
})

test('equal labels with different fingerprints are two alerts', () => {
  const { alerts } = deliverFixture('alertmanager', 'firing', (body) => {
    body.alerts[1].labels = body.alerts[0].labels
  })
  assert.notEqual(alerts[0]?.fingerprint, alerts[1]?.fingerprint)
})

test('a payload that someone made up is told', () => {
  assert.match(deliver('alertmanager', { text: 'hello' }).problem ?? '', /default payload/)
})

test('a runbook is a link if it is an address, and text if not, under either name', () => {
  const read = (annotations: object) =>
    deliverFixture('alertmanager', 'firing', (body) => {
      body.alerts[0].annotations = annotations
    }).alerts[0]!
  const { links } = read({ runbook: 'https://wiki.example.com/disks' })
  assert.ok(links.some(({ label, url }) => label === 'Runbook' && url === 'https://wiki.example.com/disks'))
  assert.equal(read({ runbook_url: 'www.time.com' }).description, 'Runbook: www.time.com')
})
