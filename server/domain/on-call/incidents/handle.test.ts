import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OnCallSettings } from '@signalbox/contract/service.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { secretsFrom } from '../../../infra/secrets.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { anAlert } from '../../../test/on-call/on-call.ts'
import { removeMember } from '../../accounts/workspaces/remove-member.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listAlertRows } from '../alerts/list-rows.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import { changeService } from '../services/change.ts'
import { createService } from '../services/create.ts'
import { Receiver } from '../signals/receive.ts'
import { addSource } from '../sources/add.ts'
import { deleteSource } from '../sources/delete.ts'
import { listSourceRows } from '../sources/list-rows.ts'
import { handleSignals } from './handle.ts'
import { listIncidents } from './list.ts'
import { alertDescription, mergeAlert } from './merge-alert.ts'
import { readIncidentDetails } from './read.ts'

const database = await testDatabase()
after(() => database.close())
const secrets = secretsFrom('a key for tests that is long enough')

/** A workspace with services and one source that feeds them; `deliver` hands alerts over and has them understood. */
async function aWorld(settings: Partial<OnCallSettings> = {}, names = ['checkout']) {
  const clock = new TestClock('2026-01-05T12:00:00.000Z')
  const owner = await aMember(await aWorkspace(database.db, clock), 'owner')
  const team = await aTeam(owner)
  const services: string[] = []
  for (const name of names)
    services.push(fromJson(await createService(owner, { name, team: team.slug, settings })).id)
  const source = fromJson((await addSource(owner, secrets, { kind: 'generic', name: 's', services })).source)
  const receiver = new Receiver({ ...owner, onWritten: () => undefined })
  const known = {
    id: source.id,
    workspaceId: owner.workspaceId,
    kind: 'generic',
    name: 's',
    paused: false,
  } as const
  const proof = () => ({ secrets: [], settings: {} })
  const deliver = async (...alerts: Partial<ReadAlert>[]) => {
    const reading = {
      alerts: alerts.map(readAlert),
      test: false,
      problem: null,
      deliveryId: null,
      handshake: null,
    }
    await receiver.receive({ ...known, proof }, reading)
    await handleSignals(owner)
    clock.forward(1_000)
  }
  const events = async (event: string) =>
    (await listAudit(owner, { event: event as 'incident_opened' }, { limit: 100, after: null })).data.map(
      fromJson,
    )
  const alerts = async () =>
    (
      await database.pool.query<{
        fingerprint: string
        reason: string | null
        count: number
        status: string
      }>('select fingerprint, reason, count, status from alerts where workspace_id = $1 order by id', [
        owner.workspaceId,
      ])
    ).rows
  const timeline = async () =>
    (
      await database.pool.query<{ type: string; text: string }>(
        'select type, text from incident_events where workspace_id = $1 order by incident_id, seq',
        [owner.workspaceId],
      )
    ).rows
  return { clock, owner, services, deliver, events, alerts, timeline }
}

const readAlert = (alert: Partial<ReadAlert>): ReadAlert =>
  anAlert({ title: 'An alert', severity: 'high', fingerprint: 'a', ...alert })

test('an incident has the highest severity of its alerts, and says when it rose', async () => {
  const { deliver, events, timeline } = await aWorld()
  await deliver({ fingerprint: 'a', severity: 'high' })
  await deliver({ fingerprint: 'b', severity: 'critical' })
  assert.equal((await events('incident_opened'))[0]?.details.severity, 'high')
  assert.equal((await events('incident_updated'))[0]?.details.severity, 'critical')
  assert.deepEqual(
    (await timeline()).map(({ type }) => type),
    ['opened', 'joined', 'severity'],
  )
})

test('an alert below the lowest severity joins an incident that is open', async () => {
  const { deliver, alerts, events } = await aWorld()
  await deliver({ fingerprint: 'low', severity: 'low' })
  assert.match((await alerts())[0]!.reason ?? '', /below high/)
  await deliver({ fingerprint: 'bad', severity: 'critical' })
  await deliver({ fingerprint: 'low', severity: 'low' })
  assert.equal((await alerts()).find(({ fingerprint }) => fingerprint === 'low')?.reason, null)
  assert.equal((await events('incident_opened')).length, 1)
})

test('outside the on-call hours alerts are recorded and open nothing; still firing when the hours begin, they do', async () => {
  const hours = { days: ['mon'], start: '13:00', end: '14:00', timeZone: 'UTC' } as const
  const { clock, deliver, alerts, events } = await aWorld({ hours: { ...hours, days: ['mon'] } })
  await deliver({ severity: 'critical' })
  assert.match((await alerts())[0]!.reason ?? '', /outside on-call hours/)
  clock.forward(3_600_000)
  await deliver({ severity: 'critical' })
  assert.equal((await events('incident_opened')).length, 1)
})

test('a source that feeds several services picks by the name in the alert; without one it is unrouted', async () => {
  const { deliver, alerts, events } = await aWorld({}, ['checkout', 'search'])
  await deliver({ fingerprint: 'a', service: 'SEARCH' })
  await deliver({ fingerprint: 'b' })
  await deliver({ fingerprint: 'c', service: 'billing' })
  assert.deepEqual(
    (await events('incident_opened')).map(({ details }) => details.service),
    ['search'],
  )
  const reasons = (await alerts()).map(({ reason }) => reason)
  assert.match(reasons[1] ?? '', /the alert doesn’t name one/)
  assert.match(reasons[2] ?? '', /no service called billing/)
})

test('repeated firings are counted and change nothing; the same alert after its recovery opens another incident', async () => {
  const { deliver, alerts, events } = await aWorld()
  await deliver({})
  await deliver({})
  assert.equal((await alerts())[0]?.count, 2)
  assert.equal((await events('incident_updated')).length, 0)
  await deliver({ status: 'resolved' })
  assert.equal((await events('incident_resolved')).length, 1)
  await deliver({})
  assert.equal((await events('incident_opened')).length, 2)
})

test('an incident keeps the alerts it had when they fire again in another one', async () => {
  const world = await aWorld()
  await world.deliver({ title: 'The first time' })
  await world.deliver({ title: 'The first time', status: 'resolved' })
  await world.deliver({ title: 'The second time' })
  const listed = (await listIncidents(world.owner, {}, { limit: 10, after: null })).data.map(fromJson)
  assert.deepEqual(
    listed.map(({ status, alerts }) => [status, alerts]),
    [
      ['open', 1],
      ['resolved', 1],
    ],
  )
  const shown = async (key: string) =>
    fromJson(await readIncidentDetails(world.owner, key)).alertList.map(({ title, status, incident }) => [
      title,
      status,
      incident,
    ])
  const [newer, older] = listed.map(({ key }) => key)
  assert.deepEqual(await shown(newer!), [['The second time', 'firing', newer]])
  assert.deepEqual(await shown(older!), [['The first time', 'resolved', older]])
})

test('fired and recovered in one delivery, an alert still has its incident', async () => {
  const { deliver, events } = await aWorld()
  await deliver({ fingerprint: 'x' }, { fingerprint: 'x', status: 'resolved' })
  assert.equal((await events('incident_opened')).length, 1)
  assert.equal((await events('incident_resolved')).length, 1)
})

test('an acknowledgement of an unknown alert opens nothing, and its firing, told of later, does', async () => {
  const { deliver, events, alerts } = await aWorld()
  await deliver({ updateOnly: true })
  assert.equal((await events('incident_opened')).length, 0)
  assert.match((await alerts())[0]!.reason ?? '', /acknowledged/)
  await deliver({})
  assert.equal((await events('incident_opened')).length, 1)
})

test('deliveries that are understood on two nodes at once open one incident', async () => {
  const { owner, events } = await aWorld()
  const world = await aWorld()
  await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => world.deliver({ fingerprint: `f${n}` })),
    ...Array.from({ length: 10 }, () => handleSignals(world.owner)),
  ])
  assert.equal((await world.events('incident_opened')).length, 1)
  assert.equal((await events('incident_opened')).length, 0, owner.workspaceId)
})

test('members of the service are told when it opens and when it is resolved, once each', async () => {
  const { owner, services, deliver } = await aWorld()
  const colleague = await aMember(owner, 'member')
  const gone = await aMember(owner, 'member')
  await changeService(owner, services[0]!, { settings: { notify: [colleague.personId, gone.personId] } })
  await removeMember(owner, gone.personId)
  await deliver({ title: 'Down' })
  await deliver({ title: 'Down' })
  await deliver({ title: 'Down', status: 'resolved' })
  const { rows } = await database.pool.query<{ person_id: string; title: string }>(
    'select person_id, title from notifications where workspace_id = $1 order by id',
    [owner.workspaceId],
  )
  assert.deepEqual(
    rows.map(({ person_id }) => person_id),
    [colleague.personId, colleague.personId],
  )
  assert.match(rows[0]!.title, /^inc-[a-z0-9]{4} opened: Down$/)
  assert.match(rows[1]!.title, /resolved: Down$/)
})

test('an incident can be read with its alerts and timeline, and a source with what came of its alerts', async () => {
  const { owner, deliver, events } = await aWorld()
  await deliver(
    { fingerprint: 'a', title: 'Down' },
    { fingerprint: 'b', title: 'Slow', severity: 'critical' },
  )
  const [opened] = await events('incident_opened')
  const incident = fromJson(await readIncidentDetails(owner, opened!.entity.id))
  assert.deepEqual([incident.title, incident.severity, incident.alerts], ['Down', 'critical', 2])
  assert.deepEqual(incident.alertList.map(({ title }) => title).toSorted(), ['Down', 'Slow'])
  assert.equal(incident.timeline[0]?.type, 'opened')
  const page = { limit: 10, after: null }
  assert.equal((await listIncidents(owner, { status: 'open' }, page)).data.length, 1)
  assert.equal((await listIncidents(owner, { status: 'resolved' }, page)).data.length, 0)
  const [source] = await listSourceRows(owner, {})
  assert.equal((await listAlertRows(owner, { source: source!.id }, page)).data.length, 2)
  await assert.rejects(readIncidentDetails(owner, 'inc-0000'), { code: 'incident_not_found' })
})

test('an alert that was merged into another one in its sender ends without anybody being told', async () => {
  const { owner, services, deliver, events } = await aWorld()
  const colleague = await aMember(owner, 'member')
  await changeService(owner, services[0]!, { settings: { notify: [colleague.personId] } })
  await deliver({})
  await deliver({ status: 'resolved', updateOnly: true })
  assert.equal((await events('incident_resolved')).length, 1)
  const { rows } = await database.pool.query('select from notifications where workspace_id = $1', [
    owner.workspaceId,
  ])
  assert.equal(rows.length, 1)
})

test('a source that is deleted while its alert fires does not leave an incident open forever', async () => {
  const { owner, deliver, events } = await aWorld()
  await deliver({})
  const [source] = await listSourceRows(owner, {})
  await deleteSource(owner, source!.id)
  await handleSignals(owner)
  assert.equal((await events('incident_resolved')).length, 1)
})

test('no label of an alert silences it', async () => {
  const { deliver, owner } = await aWorld()
  await deliver({ severity: 'critical', labels: { signalbox_test: 'true', test: 'true', sample: 'yes' } })
  assert.equal((await listIncidents(owner, {}, { limit: 10, after: null })).data.length, 1)
})

test('a test of the app opens nothing and joins nothing; the same alert from the sender does', async () => {
  const { deliver, owner, events } = await aWorld()
  const rows = async () =>
    (await listAlertRows(owner, {}, { limit: 10, after: null })).data
      .map(fromJson)
      .map(({ isTest }) => isTest)
  await deliver({ severity: 'critical', isTest: true })
  assert.deepEqual([await events('incident_opened'), await rows()], [[], [true]])
  await deliver({ severity: 'critical' })
  assert.deepEqual([(await events('incident_opened')).length, await rows()], [1, [false]])
})

test('what was cut of an alert is kept with it', async () => {
  const { deliver, owner } = await aWorld()
  const cuts = ['The description was cut at 10,000 characters.']
  await deliver({ cuts })
  const [alert] = (await listAlertRows(owner, {}, { limit: 10, after: null })).data.map(fromJson)
  assert.deepEqual(alert!.cuts, cuts)
})

test('what is known of an alert survives its recovery: description, labels, links, environment and when it began', async () => {
  const { owner, deliver, events } = await aWorld()
  const link = (label: string, url: string) => ({ label, url })
  const known = {
    title: 'Checkout fails',
    description: 'Half of all payments fail.',
    environment: 'production',
    startedAt: '2026-01-05T11:58:00.000Z',
    labels: { team: 'shop', value: '51 %' },
    links: [link('Runbook', 'https://wiki.example.com/r'), link('Graph', 'https://graphs.example.com/1')],
  }
  await deliver(known)
  await deliver({
    ...known,
    labels: { value: '80 %', zone: 'eu' },
    links: [link('Graph', 'https://graphs.example.com/2')],
    description: null,
  })
  await deliver({
    title: '[OK] Checkout',
    status: 'resolved',
    description: 'All is well.',
    endedAt: '2026-01-05T12:00:01.000Z',
    labels: { value: '0 %', closed: 'yes' },
    links: [link('Postmortem', 'https://wiki.example.com/p')],
  })
  const [opened] = await events('incident_opened')
  const [alert] = fromJson(await readIncidentDetails(owner, opened!.entity.id)).alertList
  assert.deepEqual(alert!.labels, { team: 'shop', value: '80 %', zone: 'eu', closed: 'yes' })
  assert.deepEqual(
    alert!.links.map(({ label, url }) => [label, url.slice(-2)]),
    [
      ['Graph', '/2'],
      ['Runbook', '/r'],
      ['Postmortem', '/p'],
    ],
  )
  assert.deepEqual(
    [alert!.title, alert!.description, alert!.environment, alert!.startedAt, alert!.endedAt],
    [
      'Checkout fails',
      'Half of all payments fail.',
      'production',
      known.startedAt,
      '2026-01-05T12:00:01.000Z',
    ],
  )
})

test('a firing that arrives after its recovery still says what it was; a new occurrence begins again', async () => {
  const { owner, deliver, services } = await aWorld()
  await deliver({ status: 'resolved', labels: { a: '2' }, endedAt: '2026-01-05T12:00:00.000Z' })
  await deliver({
    startedAt: '2026-01-05T11:00:00.000Z',
    description: 'It broke.',
    labels: { a: '1', b: '1' },
  })
  const first = async () => {
    const { rows } = await database.pool.query(
      'select description, labels from alerts where workspace_id = $1',
      [owner.workspaceId],
    )
    return rows[0]
  }
  assert.deepEqual(await first(), { description: 'It broke.', labels: { a: '2', b: '1' } })
  await deliver({ labels: { c: '3' } })
  assert.deepEqual(await first(), { description: null, labels: { c: '3' } }, services[0])
})

test('whatever a delivery tells of an alert again, nothing that was known of this occurrence is lost', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd')
  const read = fc.record({
    status: fc.constantFrom('firing' as const, 'resolved' as const),
    description: fc.option(word),
    environment: fc.option(word),
    labels: fc.dictionary(word, word),
    links: fc.array(fc.record({ label: word, url: word }), { maxLength: 4 }),
  })
  fc.assert(
    fc.property(read, read, fc.constantFrom('repeated', 'recovered', 'late'), (before, told, news) => {
      const known = alertDescription(readAlert(before))
      const after = mergeAlert(known, readAlert(told), news as 'late')
      for (const field of ['description', 'environment', 'started_at'] as const)
        if (known[field]) assert.ok(after[field])
      for (const name of Object.keys(known.labels)) assert.ok(Object.hasOwn(after.labels, name))
      for (const { label, url } of known.links)
        assert.ok(after.links.some((link) => link.url === url || link.label === label))
    }),
  )
})
