import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Preview, ServiceRow } from '@signalbox/contract/app/services.ts'
import type { OnCallSettings } from '@signalbox/contract/service.ts'
import { severities } from '@signalbox/contract/signal.ts'
import { choose } from '../../../domain/accounts/notifications/settings.ts'
import { previewAlert } from '../../../domain/on-call/incidents/preview.ts'
import { listActivity } from '../../../domain/on-call/services/activity.ts'
import { changeService } from '../../../domain/on-call/services/change.ts'
import { readServiceRow } from '../../../domain/on-call/services/list-rows.ts'
import { testApp } from '../../../test/app.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { browsersOf } from '../../../test/signed-in.ts'

describe('what would become of an alert', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.close())

  const nights: OnCallSettings['hours'] = {
    days: ['tue'],
    start: '22:00',
    end: '06:00',
    timeZone: 'Europe/Oslo',
  }
  // 31 March 2026, noon UTC, is a Tuesday; Oslo is two hours ahead.
  const table: [string, Partial<OnCallSettings>, string, Preview['fate']][] = [
    ['the defaults open for high', {}, '2026-03-31T12:00:00Z', 'opens'],
    ['the lowest severity decides', { lowestSeverity: 'critical' }, '2026-03-31T12:00:00Z', 'nothing'],
    ['before the night it opens nothing', { hours: nights }, '2026-03-31T19:59:00Z', 'nothing'],
    ['the night begins', { hours: nights }, '2026-03-31T20:00:00Z', 'opens'],
    ['the night goes on after midnight', { hours: nights }, '2026-04-01T03:59:00Z', 'opens'],
    ['the night is over', { hours: nights }, '2026-04-01T04:00:00Z', 'nothing'],
    ['observing alone opens as well', { observeOnly: true }, '2026-03-31T12:00:00Z', 'opens'],
  ]
  for (const [says, settings, at, fate] of table) {
    test(`${says}: the preview says what then happens`, async () => {
      const onCall = await OnCall.begin(database.db)
      const service = await onCall.service(settings)
      const preview = await previewAlert(onCall.admin, service.id, 'high', at)
      assert.equal(preview.fate, fate)
      assert.match(preview.sentence, fate === 'opens' ? /^Yes\./ : /^No\./)
      // The same alert, really received at that moment.
      onCall.clock.forward(Date.parse(at) - onCall.clock.now().getTime())
      const source = await onCall.source('generic', [service])
      await onCall.receive(source, { alerts: [anAlert({ severity: 'high' })] })
      assert.equal((await onCall.incidents()).length, fate === 'opens' ? 1 : 0)
    })
  }

  test('while an incident is open, every alert joins it, whatever its severity and the hour', async () => {
    const onCall = await OnCall.begin(database.db)
    const service = await onCall.service()
    const source = await onCall.source('generic', [service])
    await onCall.receive(source, { alerts: [anAlert()] })
    const { key } = (await onCall.incidents())[0]!
    for (const severity of severities) {
      const preview = await previewAlert(onCall.admin, service.id, severity)
      assert.equal(preview.fate, 'joins')
      assert.equal(preview.incident, key)
      assert.ok(preview.sentence.includes(key))
    }
    const row = await readServiceRow(onCall.admin, service.id)
    assert.equal(row.openIncident?.key, key)
    assert.equal(row.sources, 1)
  })

  test('a service tells whether someone is on call, and until when', async () => {
    const onCall = await OnCall.begin(database.db)
    const service = await onCall.service({ hours: nights })
    const { onCall: state } = await readServiceRow(onCall.admin, service.id)
    assert.deepEqual(state, { now: false, until: '2026-03-31T20:00:00.000Z' })
  })
})

describe('what a responder wants to know of a service', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.close())

  test('its last incident, the alerts of a week, and who is told in which ways', async () => {
    const onCall = await OnCall.begin(database.db)
    const ann = await aMember(onCall.workspace, 'member')
    const bob = await aMember(onCall.workspace, 'member')
    await choose(onCall.workspace, bob.personId, 'incident', { inApp: true, byMail: false, byPush: true })
    const service = await onCall.service({ notify: [ann.personId, bob.personId] })
    const quiet = await onCall.service()
    const source = await onCall.source('generic', [service])
    await onCall.receive(source, { alerts: [anAlert({ fingerprint: 'old', severity: 'low' })] })
    onCall.clock.forward(8 * 86_400_000)
    await onCall.receive(source, { alerts: [anAlert(), anAlert({ fingerprint: 'disk' })] })
    await onCall.receive(source, { alerts: [anAlert()] })
    const { key } = (await onCall.incidents())[0]!
    const channel = await onCall.place('#alerts')
    const activity = async (hasMail: boolean) =>
      (await listActivity(ann, { service: service.id }, hasMail))[0]!
    const found = await activity(true)
    assert.equal(found.alertsLastWeek, 2, 'one that repeats is one, and one of last week is none')
    assert.deepEqual([found.lastIncident?.key, found.lastIncident?.resolvedAt], [key, null])
    assert.deepEqual(found.channels, [{ tool: 'slack', name: '#alerts' }])
    const waysOf = ({ members }: typeof found) => members.map(({ ways }) => ways.join()).toSorted()
    assert.deepEqual(waysOf(found), ['app', 'app,mail'])
    assert.deepEqual(waysOf(await activity(false)), ['app', 'app'], 'without a mail server no one is mailed')
    const all = await listActivity(ann, {}, true)
    const other = all.find((one) => one.service === quiet.id)
    assert.deepEqual(other, {
      service: quiet.id,
      alertsLastWeek: 0,
      lastIncident: null,
      members: [],
      channels: [{ tool: 'slack', name: '#alerts' }],
    })
    await changeService(onCall.admin, service.id, { settings: { places: [] } })
    assert.deepEqual((await activity(true)).channels, [], `${channel} is not among those chosen`)
    const stranger = await aMember(await aWorkspace(database.db), 'owner')
    await assert.rejects(listActivity(stranger, { service: service.id }, true), { code: 'service_not_found' })
  })
})

describe('services in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('admins make, change and delete services; members read them', async () => {
    const workspace = await aWorkspace(app.storage.db)
    const team = await aTeam(workspace)
    const as = browsersOf(app, workspace)
    const [admin, member] = [await as('admin'), await as('member')]
    const made = await admin.write('services.create', {
      name: 'checkout',
      team: team.slug,
      repositories: [{ url: 'https://git.example.com/shop.git', path: '' }],
    })
    assert.equal(made.status, 200)
    const { id: service } = (await made.json()) as { id: string }
    for (const [name, input] of [
      ['services.create', { name: 'x', team: team.slug }],
      ['services.change', { service, settings: { observeOnly: true } }],
      ['services.delete', { service }],
    ] as const)
      assert.equal((await member.write(name, input)).status, 403, name)
    const hours = { days: ['mon'], start: '22:00', end: '06:00', timeZone: 'Europe/Oslo' }
    assert.equal((await admin.write('services.change', { service, settings: { hours } })).status, 200)
    const unknown = await admin.write('services.change', { service, settings: { loud: true } })
    assert.equal(unknown.status, 400)
    const { data } = (await (await member.read('services.list')).json()) as { data: ServiceRow[] }
    assert.deepEqual(data[0]!.settings.hours, hours)
    const places = await (await member.read('services.places', { service })).json()
    assert.deepEqual(places, { data: [], chat: false, mail: false })
    const preview = { service, severity: 'high', at: '2026-04-06T20:00:00Z' }
    assert.equal(((await (await member.read('services.preview', preview)).json()) as Preview).fate, 'opens')
    assert.equal((await member.read('services.preview', { ...preview, at: 'soon' })).status, 400)
    assert.equal((await admin.write('services.delete', { service })).status, 200)
    assert.equal((await member.read('services.read', { service })).status, 404)
  })
})
