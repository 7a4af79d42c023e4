import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertIn, bodyOf, deliver, deliverFixture } from '../../../../test/on-call/deliver.ts'

test('each alert of a group has its own status, title and identity', () => {
  const { alerts, test: isTest, problem } = deliverFixture('grafana', 'mixed')
  assert.deepEqual(
    alerts.map(({ title, status, severity, fingerprint }) => [title, status, severity, fingerprint]),
    [
      ['High error rate', 'firing', 'critical', '00aa11bb22cc33dd'],
      ['Disk almost full', 'resolved', 'medium', '44ee55ff66007711'],
    ],
  )
  assert.equal(isTest, false)
  assert.equal(problem, null)
  assert.equal(alerts[0]?.endedAt, null)
  assert.equal(alerts[0]?.service, 'parcel-router')
  assert.equal(alerts[0]?.environment, 'production')
  assert.equal(alerts[1]?.occurredAt, '2030-02-01T10:00:00.500Z')
})

test('relative links belong to the address of the Grafana that sent them; empty ones are left out', () => {
  const links = deliverFixture('grafana', 'mixed').alerts[0]!.links
  assert.deepEqual(
    links.map(({ label }) => label),
    ['Source', 'Panel', 'Silence', 'Runbook'],
  )
  assert.equal(links[1]?.url, 'https://grafana.example.com/?orgId=1&viewPanel=2')
})

test('without an alertname the title falls back, and is never empty', () => {
  const titles = (
    change: (alert: Record<string, Record<string, unknown>>, body: Record<string, unknown>) => void,
  ) => deliverFixture('grafana', 'mixed', (body) => change(body.alerts[0], body)).alerts[0]?.title
  const unnamed = (alert: Record<string, Record<string, unknown>>) => delete alert.labels!.alertname
  assert.equal(titles(unnamed), 'High error rate on the router')
  assert.equal(
    titles((alert) => {
      unnamed(alert)
      alert.annotations = {}
    }),
    '[FIRING:1, RESOLVED:1] Parcels',
  )
  assert.equal(
    titles((alert, body) => {
      unnamed(alert)
      alert.annotations = {}
      body.title = ' '
    }),
    'Untitled alert',
  )
})

test('the test of a contact point is a test', () => {
  assert.equal(deliverFixture('grafana', 'test').test, true)
  const edited = deliverFixture('grafana', 'test', (body) => {
    body.alerts[0].labels.instance = 'mine'
  })
  assert.equal(edited.test, true)
})

test('an alert that merely is called TestAlert is none', () => {
  const reading = deliverFixture('grafana', 'mixed', (body) => {
    body.alerts[0].labels.alertname = 'TestAlert'
  })
  assert.equal(reading.test, false)
})

test('a rule of the alerting before 2021 is known by its number', () => {
  const alert = alertIn(deliverFixture('grafana', 'legacy'))
  assert.deepEqual(
    [alert.title, alert.status, alert.severity, alert.fingerprint],
    ['Router latency', 'firing', 'high', 'rule:7'],
  )
  const ok = alertIn(deliverFixture('grafana', 'legacy', (body) => Object.assign(body, { state: 'ok' })))
  assert.equal(ok.status, 'resolved')
  const pending = deliverFixture('grafana', 'legacy', (body) => Object.assign(body, { state: 'pending' }))
  assert.deepEqual(
    [pending.alerts, pending.problem],
    [[], 'The rule went into the state "pending", which changes no alert.'],
  )
})

test('a payload that someone made up is told', () => {
  assert.match(deliver('grafana', { text: 'hello' }).problem ?? '', /no list `alerts`/)
  assert.match(deliver('grafana', { alerts: [] }).problem ?? '', /no alerts/)
})

test('what cannot be used of a group is told, and the rest is used', () => {
  const reading = deliverFixture('grafana', 'mixed', (body) => {
    body.alerts.push({ status: 'odd', fingerprint: 'x' }, null, { status: 'firing' })
    body.status = 'unknown'
  })
  assert.equal(reading.alerts.length, 2)
  assert.match(reading.problem ?? '', /`alerts\[2\]` has the status "odd"/)
  assert.match(reading.problem ?? '', /`alerts\[4\]` has neither a fingerprint nor labels/)
})

test('the body of an Alertmanager behind a contact point is read as well', () => {
  assert.equal(deliver('grafana', bodyOf('alertmanager', 'firing')).alerts.length, 2)
})

const annotated = (annotations: object) =>
  deliverFixture('grafana', 'mixed', (body) => {
    body.alerts[0].annotations = annotations
  }).alerts[0]!

test('a runbook that is no address stays text, and never becomes a link into Grafana', () => {
  for (const runbook of ['www.time.com', 'Call the warehouse', 'localhost:80/x', 'javascript:alert(1)']) {
    const { links, description } = annotated({ summary: 'Slow', runbook_url: runbook })
    assert.ok(!links.some(({ label }) => label === 'Runbook'), runbook)
    assert.equal(description, `Slow\n\nRunbook: ${runbook}`)
  }
  const relative = annotated({ runbook_url: '/d/runbook' })
  assert.deepEqual(
    relative.links.find(({ label }) => label === 'Runbook'),
    { label: 'Runbook', url: 'https://grafana.example.com/d/runbook' },
  )
})

test('an annotation `runbook` counts beside `runbook_url`', () => {
  const { links, description } = annotated({
    runbook_url: 'https://wiki.example.com/a',
    runbook: 'https://wiki.example.com/b',
  })
  assert.deepEqual(
    links.filter(({ label }) => label === 'Runbook').map(({ url }) => url),
    ['https://wiki.example.com/a', 'https://wiki.example.com/b'],
  )
  assert.equal(description, null)
  assert.equal(annotated({ runbook: 'ask Mona' }).description, 'Runbook: ask Mona')
})

test('an alert about missing data or a failing data source carries the name of the rule', () => {
  for (const alertname of ['DatasourceNoData', 'DatasourceError']) {
    const title = (labels: object) =>
      deliverFixture('grafana', 'mixed', (body) => {
        body.alerts[0].labels = { alertname, ...labels }
      }).alerts[0]!.title
    assert.equal(title({ rulename: 'Router latency' }), `${alertname}: Router latency`)
    assert.equal(title({}), alertname)
  }
})

test('a rule of before 2021 without data fires, as the kinds of today do', () => {
  const reading = deliverFixture('grafana', 'legacy', (body) => Object.assign(body, { state: 'no_data' }))
  assert.equal(alertIn(reading).status, 'firing')
})
