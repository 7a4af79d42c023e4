import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { opsgenie } from '../../../integrations/pagers/opsgenie.ts'
import { pagerduty } from '../../../integrations/pagers/pagerduty.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { PagersDouble } from '../../../test/doubles/pagers.ts'
import { aMember } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { until } from '../../../test/until.ts'
import { pathOf } from '../../accounts/notifications/link.ts'
import { listNotifications } from '../../accounts/notifications/list.ts'
import type { PagedAlert, Pager, PagerKind, Pagers } from '../../ports/pager.ts'
import { change } from '../../record/audit/change.ts'
import { changeService } from '../services/change.ts'
import type { KnownSource } from '../signals/known-source.ts'
import { changeSource } from '../sources/change.ts'
import { deleteSource } from '../sources/delete.ts'
import { readSourceRow } from '../sources/list-rows.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { resolveIncident } from './resolve.ts'
import { updateAlertInSource } from './update-alert-in-source.ts'

/** What PagerDuty and Opsgenie refuse, from the refusal to the release: marked at the source, told, parked, done in order. */

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const names = { pagerduty: 'PagerDuty', opsgenie: 'Opsgenie' }
const kinds = ['pagerduty', 'opsgenie'] as const

/** A source with a key, a service that updates alerts there, and the tool itself. */
async function begin(t: TestContext, kind: PagerKind) {
  const tool = await new PagersDouble().start()
  t.after(() => tool.stop())
  tool.keys.set('the-key', { mayWrite: true })
  const onCall = await OnCall.begin(database.db)
  const owner = await aMember(onCall.workspace, 'owner')
  const member = await aMember(onCall.workspace, 'member')
  const service = await onCall.service({ updateAlerts: true }, 'Checkout')
  const source = await onCall.source(kind, [service], { credentials: 'the-key' })
  // The real addresses are the only ones that can be set; here they lead to this machine.
  const here = (pager: Pager): Pager => ({
    name: pager.name,
    acknowledge: (alert) => pager.acknowledge({ ...alert, api: tool.url }),
    resolve: (alert) => pager.resolve({ ...alert, api: tool.url }),
  })
  const pagers = { pagerduty: here(pagerduty), opsgenie: here(opsgenie) }
  const minutes = async (count: number, through: Pagers = pagers) => {
    const performer = updateAlertInSource(through, onCall.secrets)
    for (let second = 0; second < count * 60; second += 5) {
      await onCall.perform('update_alert', performer).catch(() => {})
      onCall.clock.forward(5_000)
    }
  }
  const told = async (person: typeof owner) =>
    (await listNotifications(person, person.personId, { limit: 100, after: null })).data
      .map(fromJson)
      .filter(({ kind }) => kind === 'connection')
  return {
    ...{ tool, onCall, owner, member, service, source, pagers, minutes, told },
    /** Alerts of that source fire, are known there, and are to be acknowledged. */
    async fire(ids: string[], from: KnownSource = source) {
      for (const id of ids) tool.alerts.set(id, 'triggered')
      for (const id of ids) {
        onCall.clock.forward(1_000)
        await onCall.receive(from, { alerts: [anAlert({ senderId: id, fingerprint: id, title: id })] })
      }
      const incident = (await onCall.incidents()).at(-1)!
      await change(onCall.ctx, async (tx) => {
        await planAlertUpdates(onCall.ctx, tx, incident, 'acknowledge')
        return { value: null, audit: [] }
      })
      return incident
    },
    waiting: async (of = source) =>
      (await readSourceRow(owner, of.id)).updatesRefused.map(({ scope, waiting }) => [
        scope.replace(/\/.*/, ''),
        waiting,
      ]),
    says: async () => (await readSourceRow(owner, source.id)).updatesRefused.map(({ message }) => message),
    /** What the log says of the alerts, and of the source. */
    updates: async () =>
      (await onCall.entries('alert_updated_in_source')).map(
        ({ entity, details, result }) => `${entity.name} ${details.what} ${result}`,
      ),
    changes: async () =>
      (await onCall.entries('signal_source_changed'))
        .filter(({ entity }) => entity.id === source.id)
        .map(({ details }) => details.change),
    replaceKey: (key: string) => changeSource(owner, onCall.secrets, source.id, { credentials: key }),
  }
}

/** The same three alerts, in order, by what happened to them. */
const all = (what: string, ids = ['one', 'two', 'three']) => ids.map((id) => `${id} ${what}`)

const refusals = {
  401: {
    refuse: (tool: PagersDouble) => tool.keys.clear(),
    says: /rejected the API key \(status 401\)\. Replace it on the source’s page\./,
  },
  403: {
    refuse: (tool: PagersDouble) => tool.keys.set('the-key', { mayWrite: false }),
    says: /allow this API key to update alerts \(status 403\)\. Give it that permission/,
  },
}

for (const kind of kinds)
  for (const [status, { refuse, says }] of Object.entries(refusals))
    test(`${names[kind]} answers ${status}: the source says so, owners and admins are told once, and what waits follows in order once the key is replaced`, async (t) => {
      const it = await begin(t, kind)
      const { tool, onCall, owner, member } = it
      refuse(tool)
      await it.fire(['one', 'two', 'three'])
      await it.minutes(5)
      assert.deepEqual(await it.waiting(), [['', 3]])
      const row = (await readSourceRow(owner, it.source.id)).updatesRefused[0]!
      assert.match(row.message, says)
      assert.ok(row.nextTryAt !== null && row.since < row.lastAt, 'when it began, and when it is tried next')
      const told = [await it.told(owner), await it.told(onCall.admin), await it.told(member)]
      assert.deepEqual(
        told.map(({ length }) => length),
        [1, 1, 0],
      )
      const [notification] = told[0]!
      assert.match(notification!.title, new RegExp(`^${names[kind]} refuses Signalbox: A ${kind} source`))
      assert.match(notification!.body, says)
      assert.equal(pathOf('acme', notification!), `/acme/services/${it.service.id}/sources/${it.source.id}`)
      assert.deepEqual(await it.updates(), all('acknowledge failure'), 'each says once that it waits')
      const asked = new Set(tool.asked.map(({ path }) => path.replace(/\/acknowledge$/, '')))
      assert.equal(asked.size, 1, 'only the first of them is tried')

      tool.keys.set('another-key', { mayWrite: true })
      await it.replaceKey('another-key')
      await it.minutes(0.5)
      assert.deepEqual(tool.changes, all('acknowledged'))
      assert.deepEqual(await it.waiting(), [])
      assert.deepEqual(await it.updates(), [...all('acknowledge failure'), ...all('acknowledge success')])
      assert.deepEqual(await it.changes(), ['added', 'refused', 'changed', 'mended'])
      await it.minutes(30)
      assert.equal(tool.changes.length, 3, 'nothing is sent twice')
    })

test('a key that the tool takes again is found out without anyone’s help, and what came later queues behind', async (t) => {
  const it = await begin(t, 'opsgenie')
  it.tool.keys.clear()
  await it.fire(['one', 'two'])
  await it.minutes(20)
  it.tool.keys.set('the-key', { mayWrite: true })
  await it.fire(['three'])
  await it.minutes(16)
  assert.deepEqual(it.tool.changes, all('acknowledged'))
  assert.deepEqual(await it.changes(), ['added', 'refused', 'mended'])
})

for (const kind of kinds)
  test(`an alert that ${names[kind]} does not know waits alone, and the others go on`, async (t) => {
    const it = await begin(t, kind)
    await it.fire(['one', 'two', 'three'])
    it.tool.alerts.delete('two')
    await it.minutes(1)
    assert.deepEqual(it.tool.changes, all('acknowledged', ['one', 'three']))
    assert.deepEqual(await it.waiting(), [['effect', 1]])
    assert.match((await it.says())[0]!, /know the alert .* belongs to the account that sends the alerts/)
    it.tool.alerts.set('two', 'triggered')
    await it.minutes(16)
    assert.deepEqual(it.tool.changes, all('acknowledged', ['one', 'three', 'two']))
    assert.deepEqual(await it.waiting(), [])
  })

test('what is refused to one source keeps no other source waiting', async (t) => {
  const it = await begin(t, 'pagerduty')
  it.tool.keys.set('key-of-another', { mayWrite: true })
  const other = await it.onCall.source('opsgenie', [it.service], {
    ...{ credentials: 'key-of-another', name: 'Another' },
  })
  it.tool.keys.delete('the-key')
  await it.fire(['one'])
  await it.fire(['two'], other)
  await it.minutes(2)
  assert.deepEqual(it.tool.changes, ['two acknowledged'])
  assert.deepEqual([await it.waiting(), await it.waiting(other)], [[['', 1]], []])
})

for (const kind of kinds)
  test(`an acknowledgement that waited until its incident was resolved is not sent to ${names[kind]}: only the end is`, async (t) => {
    const it = await begin(t, kind)
    it.tool.keys.clear()
    const { key } = await it.fire(['one'])
    await it.minutes(2)
    await resolveIncident(it.member, key, { reason: 'Rolled back.' })
    await it.minutes(5)
    assert.deepEqual(it.tool.changes, [])
    it.tool.keys.set('another-key', { mayWrite: true })
    await it.replaceKey('another-key')
    await it.minutes(1)
    assert.deepEqual(it.tool.changes, ['one resolved'])
    assert.deepEqual(await it.updates(), [
      ...['one acknowledge failure', 'one resolve failure', 'one resolve success'],
    ])
    assert.deepEqual(await it.waiting(), [])
  })

test('an alert that is not known there and is over is waited for no longer', async (t) => {
  const it = await begin(t, 'opsgenie')
  await it.fire(['one'])
  it.tool.alerts.clear()
  await it.minutes(1)
  assert.deepEqual(await it.waiting(), [['effect', 1]])
  const over = anAlert({ senderId: 'one', fingerprint: 'one', status: 'resolved' })
  await it.onCall.receive(it.source, { alerts: [over] })
  await it.minutes(16)
  assert.deepEqual(await it.waiting(), [])
  assert.deepEqual(await it.changes(), ['added', 'refused'], 'nothing has shown that it works again')
})

test('what someone else acknowledged in the meantime is not claimed as ours, and the next has its turn', async (t) => {
  const it = await begin(t, 'pagerduty')
  it.tool.keys.clear()
  await it.fire(['one', 'two'])
  await it.minutes(5)
  it.tool.alerts.set('one', 'acknowledged')
  it.tool.keys.set('another-key', { mayWrite: true })
  await it.replaceKey('another-key')
  await it.minutes(1)
  assert.deepEqual(it.tool.changes, ['two acknowledged'])
  assert.deepEqual(await it.updates(), [
    ...all('acknowledge failure', ['one', 'two']),
    'two acknowledge success',
  ])
  assert.deepEqual(await it.waiting(), [])
})

for (const [status, left] of [
  [401, []],
  [403, [['', 0]]],
] as const)
  test(`that PagerDuty lets us see what someone else acknowledged ${status === 401 ? 'ends' : 'does not end'} a refusal with ${status}`, async (t) => {
    const it = await begin(t, 'pagerduty')
    refusals[status].refuse(it.tool)
    await it.fire(['one'])
    await it.minutes(5)
    it.tool.alerts.set('one', 'acknowledged')
    it.tool.keys.set('the-key', { mayWrite: status === 401 })
    await it.minutes(16)
    assert.deepEqual(await it.waiting(), left)
    assert.deepEqual(await it.updates(), ['one acknowledge failure'])
  })

test('an update that was taken while its node died is neither sent nor recorded twice', async (t) => {
  const it = await begin(t, 'pagerduty')
  it.tool.keys.clear()
  await it.fire(['one', 'two'])
  await it.minutes(5)
  it.tool.keys.set('another-key', { mayWrite: true })
  await it.replaceKey('another-key')
  const dead = Promise.withResolvers<void>()
  const acknowledge = async (alert: PagedAlert) => {
    const done = await it.pagers.pagerduty.acknowledge(alert)
    await dead.promise
    return done
  }
  const pagers = { ...it.pagers, pagerduty: { ...it.pagers.pagerduty, acknowledge } }
  const dying = it.onCall.perform('update_alert', updateAlertInSource(pagers, it.onCall.secrets))
  await until('the update is taken', () => it.tool.changes.length === 1)
  await it.minutes(3)
  dead.resolve()
  await dying
  assert.deepEqual(it.tool.changes, all('acknowledged', ['one', 'two']))
  assert.deepEqual(
    (await it.updates()).filter((said) => said.endsWith('success')),
    all('acknowledge success', ['one', 'two']),
  )
  assert.deepEqual(await it.waiting(), [])
})

test('trouble at the tool keeps the line as it is: an update whose answer was lost is recorded, and then the next is sent', async (t) => {
  const it = await begin(t, 'pagerduty')
  it.tool.keys.clear()
  await it.fire(['one', 'two'])
  await it.minutes(5)
  it.tool.keys.set('another-key', { mayWrite: true })
  it.tool.fail({ status: 503 }, { times: 2 })
  it.tool.fail('half', { when: /^PUT/ })
  await it.replaceKey('another-key')
  await it.minutes(5)
  assert.deepEqual(it.tool.changes, all('acknowledged', ['one', 'two']))
  assert.deepEqual(await it.updates(), [
    ...all('acknowledge failure', ['one', 'two']),
    ...all('acknowledge success', ['one', 'two']),
  ])
  assert.deepEqual(await it.waiting(), [])
})

test('too many calls are no refusal: nothing is marked, and it is tried again', async (t) => {
  const it = await begin(t, 'opsgenie')
  it.tool.fail({ status: 429 })
  await it.fire(['one'])
  await it.minutes(2)
  assert.deepEqual([it.tool.changes, await it.told(it.owner)], [['one acknowledged'], []])
  assert.deepEqual(await it.changes(), ['added'])
})

test('a corrected user is tried immediately, like another key', async (t) => {
  const it = await begin(t, 'pagerduty')
  const json = { error: { message: 'Invalid Input Provided', errors: ['Requester User Not Found'] } }
  it.tool.fail({ status: 400, json }, { when: /^PUT/, times: 100 })
  await it.fire(['one', 'two'])
  await it.minutes(5)
  assert.deepEqual(await it.waiting(), [['', 2]])
  assert.match((await it.says())[0]!, /Correct “Acts as” on the source’s page/)
  it.tool.mend()
  await changeSource(it.owner, it.onCall.secrets, it.source.id, { settings: { from: 'ops@example.com' } })
  await it.minutes(0.5)
  assert.deepEqual(it.tool.changes, all('acknowledged', ['one', 'two']))
})

const ends: Record<string, (it: Awaited<ReturnType<typeof begin>>) => Promise<unknown>> = {
  'the key is removed': ({ owner, onCall, source }) =>
    changeSource(owner, onCall.secrets, source.id, { credentials: null }),
  'the source is deleted': ({ owner, source }) => deleteSource(owner, source.id),
}
for (const [what, end] of Object.entries(ends))
  test(`once ${what}, nothing waits any more and nothing is sent`, async (t) => {
    const it = await begin(t, 'opsgenie')
    it.tool.keys.clear()
    await it.fire(['one', 'two'])
    await it.minutes(2)
    const asked = it.tool.asked.length
    await end(it)
    await it.minutes(2)
    assert.equal(it.tool.asked.length, asked)
    for (const { due_at, parked_by } of await it.onCall.effects('update_alert'))
      assert.deepEqual([due_at, parked_by], [null, null])
    assert.deepEqual(await it.updates(), all('acknowledge failure', ['one', 'two']))
  })

test('what waits is dropped one after the other once updates are turned off, and the mark goes with another key', async (t) => {
  const it = await begin(t, 'opsgenie')
  it.tool.keys.clear()
  await it.fire(['one', 'two'])
  await it.minutes(2)
  await changeService(it.owner, it.service.id, { settings: { updateAlerts: false } })
  await it.minutes(16)
  assert.deepEqual(await it.waiting(), [['', 0]])
  await it.replaceKey('another-key')
  assert.deepEqual([await it.waiting(), it.tool.changes], [[], []])
  assert.deepEqual(await it.changes(), ['added', 'refused', 'changed'], 'that it works has not been seen')
})
