import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { opsgenie as opsgenieApi } from '../../../integrations/pagers/opsgenie.ts'
import { pagerduty as pagerdutyApi } from '../../../integrations/pagers/pagerduty.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { httpHost } from '../../../test/hosts/http-host.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { tables } from '../../../test/tables.ts'
import type { PagedAlert, Pager } from '../../ports/pager.ts'
import { change } from '../../record/audit/change.ts'
import { format as opsgenieFormat } from '../senders/opsgenie/format.ts'
import { format as pagerdutyFormat } from '../senders/pagerduty/format.ts'
import { changeService } from '../services/change.ts'
import { changeSource } from '../sources/change.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { updateAlertInSource } from './update-alert-in-source.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const delivered = (body: unknown) => ({ body: Buffer.from(JSON.stringify(body)), headers: {}, query: {} })

/** What each tool sends when the alert is in a state. */
const deliveries = {
  pagerduty: (state: 'triggered' | 'acknowledged' | 'resolved', at: Date) =>
    pagerdutyFormat(
      delivered({
        event: {
          id: `${state}-${at.getTime()}`,
          event_type: `incident.${state}`,
          occurred_at: at.toISOString(),
          data: {
            id: 'PT4KHLK',
            type: 'incident',
            title: 'Checkout errors',
            status: state,
            priority: { summary: 'P1' },
            created_at: '2026-03-31T12:00:00Z',
          },
        },
      }),
    ),
  opsgenie: (state: 'triggered' | 'acknowledged' | 'resolved', at: Date) =>
    opsgenieFormat(
      delivered({
        action: { triggered: 'Create', acknowledged: 'Acknowledge', resolved: 'Close' }[state],
        alert: { alertId: 'PT4KHLK', message: 'Checkout errors', priority: 'P1', updatedAt: at.getTime() },
      }),
    ),
}

async function begin(t: TestContext, kind: 'pagerduty' | 'opsgenie', settings = {}) {
  const onCall = await OnCall.begin(database.db)
  const tool = { status: 'triggered', failures: [] as number[] }
  const host = await httpHost(t, ({ method, url, body }, response) => {
    const failure = tool.failures.shift()
    if (failure) return void response.writeHead(failure).end()
    if (method === 'PUT') tool.status = JSON.parse(body).incident.status
    if (method === 'POST') tool.status = url.includes('/close') ? 'resolved' : 'acknowledged'
    response
      .writeHead(kind === 'opsgenie' ? 202 : 200)
      .end(JSON.stringify({ incident: { status: tool.status } }))
  })
  const service = await onCall.service({ updateAlerts: true, ...settings }, 'Checkout')
  const from = kind === 'pagerduty' ? { settings: { from: 'ops@example.com' } } : {}
  const source = await onCall.source(kind, [service], { credentials: 'the-api-key', ...from })
  // The real addresses are the only ones that can be set; here they lead to this machine.
  const here = (pager: Pager): Pager => ({
    name: pager.name,
    acknowledge: (alert) => pager.acknowledge({ ...alert, api: host.url }),
    resolve: (alert) => pager.resolve({ ...alert, api: host.url }),
  })
  const performer = updateAlertInSource(
    { pagerduty: here(pagerdutyApi), opsgenie: here(opsgenieApi) },
    onCall.secrets,
  )
  const deliver = (state: 'triggered' | 'acknowledged' | 'resolved') =>
    onCall.receive(source, deliveries[kind](state, onCall.clock.now()))
  const wish = async (what: 'acknowledge' | 'resolve') => {
    const [incident] = await onCall.incidents()
    await change(onCall.ctx, async (tx) => {
      await planAlertUpdates(onCall.ctx, tx, incident!, what)
      return { value: null, audit: [] }
    })
  }
  const update = () => onCall.perform('update_alert', performer)
  const writes = () => host.asked.filter(({ method }) => method !== 'GET')
  return { onCall, tool, host, service, source, deliver, wish, update, writes }
}

const eventsOf = async (onCall: OnCall) =>
  tables(database.db)
    .selectFrom('incident_events')
    .select(['seq', 'type', 'text'])
    .where('workspace_id', '=', onCall.workspace.workspaceId)
    .orderBy('seq')
    .execute()

for (const kind of ['pagerduty', 'opsgenie'] as const) {
  const name = { pagerduty: 'PagerDuty', opsgenie: 'Opsgenie' }[kind]

  test(`an alert is acknowledged and resolved in ${name}, which the log and the incident tell`, async (t) => {
    const { onCall, tool, deliver, wish, update } = await begin(t, kind)
    await deliver('triggered')
    await wish('acknowledge')
    await update()
    assert.equal(tool.status, 'acknowledged')
    await wish('resolve')
    await update()
    assert.equal(tool.status, 'resolved')
    const { key } = (await onCall.incidents())[0]!
    assert.deepEqual(
      (await onCall.entries('alert_updated_in_source')).map(({ entity, details, team, result, actor }) => [
        entity.type,
        entity.name,
        details.what,
        details.tool,
        details.incident,
        team,
        result,
        actor.type,
      ]),
      ['acknowledge', 'resolve'].map((what) => [
        'alert',
        'Checkout errors',
        what,
        name,
        key,
        onCall.team.slug,
        'success',
        'service',
      ]),
    )
    assert.deepEqual(
      (await eventsOf(onCall)).filter(({ type }) => type === 'alert_updated').map(({ text }) => text),
      [
        `The alert was acknowledged in ${name}: Checkout errors`,
        `The alert was resolved in ${name}: Checkout errors`,
      ],
    )
  })

  test(`what we did in ${name} comes back as a delivery and leads to nothing more`, async (t) => {
    const { onCall, deliver, wish, update, writes } = await begin(t, kind)
    await deliver('triggered')
    await wish('acknowledge')
    await update()
    onCall.clock.forward(1_000)
    await deliver('acknowledged')
    await update()
    assert.equal((await onCall.incidents()).length, 1)
    assert.equal(writes().length, 1)
    await wish('resolve')
    await update()
    onCall.clock.forward(1_000)
    await deliver('resolved')
    await update()
    onCall.clock.forward(3_600_000)
    await update()
    assert.equal(writes().length, 2)
    assert.deepEqual(
      (await onCall.incidents()).map(({ status }) => status),
      ['resolved'],
    )
    // An acknowledgement that arrives after the end opens nothing.
    await deliver('acknowledged')
    assert.equal((await onCall.incidents()).length, 1)
  })
}

test('a tool that recovers on its own is not told what it told us', async (t) => {
  const { onCall, host, deliver, update } = await begin(t, 'pagerduty')
  await deliver('triggered')
  onCall.clock.forward(1_000)
  await deliver('resolved')
  assert.equal((await onCall.effects('update_alert')).length, 1)
  await update()
  assert.equal(host.asked.length, 0)
  assert.deepEqual(await onCall.entries('alert_updated_in_source'), [])
})

test('what someone acknowledged before us is not claimed as ours', async (t) => {
  const { onCall, tool, deliver, wish, update, writes } = await begin(t, 'pagerduty')
  await deliver('triggered')
  tool.status = 'acknowledged'
  await wish('acknowledge')
  await update()
  assert.equal(writes().length, 0)
  assert.deepEqual(await onCall.entries('alert_updated_in_source'), [])
})

test('trouble is tried again, and what was done when the node died is written down then', async (t) => {
  const { onCall, tool, deliver, wish, update, writes } = await begin(t, 'pagerduty')
  await deliver('triggered')
  await wish('acknowledge')
  tool.failures.push(429)
  await assert.rejects(update(), /PagerDuty answered with status 429/)
  assert.deepEqual(await onCall.entries('alert_updated_in_source'), [])
  onCall.clock.forward(5_000)
  // The last node updated the tool and died before recording it.
  tool.status = 'acknowledged'
  await update()
  assert.equal(writes().length, 0)
  assert.equal((await onCall.entries('alert_updated_in_source')).length, 1)
})

test('a refusal is recorded as one, once, however often it is tried', async (t) => {
  const { onCall, tool, host, deliver, wish, update } = await begin(t, 'opsgenie')
  await deliver('triggered')
  await wish('acknowledge')
  tool.failures.push(403, 403, 403)
  for (let time = 0; time < 3; time += 1) {
    await update()
    onCall.clock.forward(3_600_000)
  }
  assert.equal(host.asked.length, 3)
  const entries = await onCall.entries('alert_updated_in_source')
  assert.equal(entries.length, 1)
  const [{ result, details }] = entries
  assert.equal(result, 'failure')
  assert.match(details.reason, /^Opsgenie doesn’t allow this API key to update alerts \(status 403\)/)
  const last = (await eventsOf(onCall)).at(-1)!
  assert.equal(last.type, 'alert_update_refused')
  assert.match(last.text, /^The alert “Checkout errors” couldn’t be acknowledged in Opsgenie yet\. Opsgenie/)
})

test('the key and the user of the source are used, opened only for the call', async (t) => {
  const { host, deliver, wish, update } = await begin(t, 'pagerduty')
  await deliver('triggered')
  await wish('acknowledge')
  await update()
  assert.equal(host.asked[0]!.headers.authorization, 'Token token=the-api-key')
  assert.equal(host.asked[0]!.headers.from, 'ops@example.com')
})

test('alerts are never touched once that is turned off, observed only, or the credentials are gone', async (t) => {
  const ways: ((given: Awaited<ReturnType<typeof begin>>) => Promise<unknown>)[] = [
    ({ onCall, service }) => changeService(onCall.admin, service.id, { settings: { updateAlerts: false } }),
    ({ onCall, service }) => changeService(onCall.admin, service.id, { settings: { observeOnly: true } }),
    ({ onCall, source }) => changeSource(onCall.admin, onCall.secrets, source.id, { credentials: null }),
  ]
  for (const turnOff of ways) {
    const given = await begin(t, 'pagerduty')
    await given.deliver('triggered')
    await given.wish('acknowledge')
    assert.equal((await given.onCall.effects('update_alert')).length, 1)
    await turnOff(given)
    await given.update()
    assert.equal(given.host.asked.length, 0)
    assert.equal((await given.onCall.effects('update_alert'))[0]!.due_at, null)
  }
})

test('a wish about an occurrence that is over does not touch the next one', async (t) => {
  const asked: PagedAlert[] = []
  const pager: Pager = {
    name: 'Opsgenie',
    acknowledge: async (alert) => ({ outcome: asked.push(alert) > 0 ? 'changed' : 'unchanged' }),
    resolve: async (alert) => ({ outcome: asked.push(alert) > 0 ? 'changed' : 'unchanged' }),
  }
  const { onCall, source } = await begin(t, 'opsgenie')
  const alert = anAlert({ senderId: 'a1', fingerprint: 'a1' })
  await onCall.receive(source, { alerts: [alert] })
  onCall.clock.forward(1_000)
  await onCall.receive(source, { alerts: [{ ...alert, status: 'resolved' }] })
  onCall.clock.forward(1_000)
  await onCall.receive(source, { alerts: [alert] })
  assert.equal((await onCall.incidents()).length, 2)
  assert.equal((await onCall.effects('update_alert')).length, 1)
  await onCall.perform(
    'update_alert',
    updateAlertInSource({ pagerduty: pager, opsgenie: pager }, onCall.secrets),
  )
  assert.deepEqual(asked, [])
})
