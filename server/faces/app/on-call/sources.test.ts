import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { AlertRow, IncidentPage } from '@signalbox/contract/app/incidents.ts'
import type { Recipe, Sender } from '@signalbox/contract/app/senders.ts'
import type { DeliveryPage, DeliveryRow, Refusal, SourceRow } from '@signalbox/contract/app/sources.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'
import { senders } from '../../../domain/on-call/senders/index.ts'
import { json } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { aTeam, aWorkspace } from '../../../test/factories.ts'
import { anSnsMessage, certificatesOf } from '../../../test/on-call/sns.ts'
import { browsersOf } from '../../../test/signed-in.ts'
import { until } from '../../../test/until.ts'

describe('sources in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp({ certificates: certificatesOf() })
  })
  after(() => app.stop())

  async function aWorld() {
    const workspace = await aWorkspace(app.storage.db)
    const team = await aTeam(workspace)
    const as = browsersOf(app, workspace)
    const admin = await as('admin')
    const service = async (name: string) =>
      json<{ id: string }>(await admin.write('services.create', { name, team: team.slug }))
    const add = async (kind: string, services: string[], more: object = {}) =>
      json<{ id: string; url: string; secret: string }>(
        await admin.write('sources.add', { kind, name: `A ${kind} source`, services, ...more }),
      )
    return { as, admin, service, add }
  }
  type Browser = Awaited<ReturnType<Awaited<ReturnType<typeof aWorld>>['as']>>

  const listed = async <T>(browser: Browser, name: string, input: Record<string, string> = {}) =>
    (await json<{ data: T[] }>(await browser.read(name, input))).data

  /** Sends a critical alert from outside, as the sender does. */
  async function deliver(kind: SenderKind, to: { url: string; secret: string }): Promise<number> {
    const at = new Date()
    const alert = { title: 'Checkout fails', description: 'Every second request', service: 'checkout' }
    const made = senders[kind].sample({ ...alert, severity: 'critical', status: 'firing', at })
    // What only Amazon can sign is signed with a certificate that this server was told to trust.
    const { SignatureVersion: _, ...message } = made.body as Record<string, unknown>
    const body = JSON.stringify(kind === 'cloudwatch' ? anSnsMessage(message, at) : made.body)
    const proof = senders[kind].proving.sign({ body, secret: to.secret, settings: {}, at })
    const url = `${to.url}?${new URLSearchParams(proof.query)}`
    const headers = { 'content-type': 'application/json', ...made.headers, ...proof.headers }
    return (await fetch(url, { method: 'POST', headers, body })).status
  }

  for (const kind of senderKinds) {
    test(`a test alert of ${kind} is accepted and opens nothing; a real one opens an incident`, async () => {
      const { admin, service, add } = await aWorld()
      const source = await add(kind, [(await service('checkout')).id])
      const sent = await json<{ accepted: number; deliveryId: string }>(
        await admin.write('sources.test', { source: source.id }),
      )
      assert.equal(sent.accepted, 1)
      const deliveries = () => listed<DeliveryRow>(admin, 'sources.deliveries', { source: source.id })
      await until('the delivery is recorded', async () => (await deliveries()).length === 1)
      const [delivery] = await deliveries()
      assert.equal(delivery!.id, sent.deliveryId)
      assert.equal(delivery!.isTest, true)
      assert.equal(delivery!.problem, null)
      const alerts = () => listed<AlertRow>(admin, 'sources.alerts', { source: source.id })
      await until('the test alert is recorded', async () => (await alerts()).length === 1)
      const [alert] = await alerts()
      assert.equal(alert!.title, 'Test alert from Signalbox')
      assert.equal(alert!.severity, 'critical')
      assert.equal(alert!.isTest, true)
      assert.equal(alert!.reason, 'Test alerts don’t open incidents.')
      assert.deepEqual(await listed(admin, 'incidents.list'), [])

      assert.equal(await deliver(kind, source), 202)
      const incidents = () => listed<{ key: string; severity: string }>(admin, 'incidents.list')
      await until('an incident is open', async () => (await incidents()).length === 1)
      assert.equal((await incidents())[0]!.severity, 'critical')
      // Once one is open, other alerts join it; a test does not.
      await json(await admin.write('sources.test', { source: source.id }))
      await until('the second test is recorded', async () =>
        (await alerts()).some(({ count }) => count === 2),
      )
      const { key } = (await incidents())[0]!
      const page = await json<IncidentPage>(await admin.read('incidents.read', { incident: key }))
      assert.equal(page.alerts, 1)
      assert.equal(page.alertList[0]!.source.kind, kind)
    })
  }

  test('a test alert can open an incident that is marked as one, and a real alert is not hidden in it', async () => {
    const { admin, service, add } = await aWorld()
    const source = await add('generic', [(await service('checkout')).id])
    await json(await admin.write('sources.test', { source: source.id, opensIncident: true }))
    const incidents = () => listed<{ key: string; title: string; status: string }>(admin, 'incidents.list')
    await until('the test incident is open', async () => (await incidents()).length === 1)
    const [first] = await incidents()
    assert.deepEqual([first!.title, first!.status], ['Test alert from Signalbox', 'open'])
    const page = await json<IncidentPage>(await admin.read('incidents.read', { incident: first!.key }))
    assert.deepEqual(
      page.alertList.map(({ isTest }) => isTest),
      [true],
    )
    assert.equal(await deliver('generic', source), 202)
    await until('the real incident is open', async () => (await incidents()).length === 2)
    const byKey = new Map((await incidents()).map(({ key, status }) => [key, status]))
    assert.equal(byKey.get(first!.key), 'resolved')
    assert.deepEqual([...byKey.values()].sort(), ['open', 'resolved'])
    // While a real one is open, a test neither joins it nor opens another.
    await json(await admin.write('sources.test', { source: source.id, opensIncident: true }))
    const alerts = () => listed<AlertRow>(admin, 'sources.alerts', { source: source.id })
    await until('the second test is recorded', async () => (await alerts()).length === 3)
    assert.equal((await incidents()).length, 2)
  })

  test('the printed command opens an incident marked as a test, for those who may, whatever tool it speaks for', async () => {
    const { as, admin, service, add } = await aWorld()
    const incidents = () => listed<{ title: string; status: string }>(admin, 'incidents.list')
    let opened = 0
    // One that signs, one whose body has no alert in it, one with its key in the address.
    for (const kind of ['generic', 'pagerduty', 'azure_monitor'] as const) {
      // Two services: the mark says which one.
      const services = [(await service(`a ${kind} one`)).id, (await service(`b ${kind} two`)).id]
      const source = await add(kind, services)
      const recipe = await json<Recipe>(await admin.read('sources.recipe', { source: source.id }))
      const sent = async (command: string) => {
        const script = `URL='${source.url}'\nSECRET='${source.secret}'\n${command.replace('curl', 'curl -sS')}`
        const { stdout } = await promisify(execFile)('sh', ['-c', script])
        assert.match(stdout, /^HTTP\/1\.1 202/)
      }
      const deliveries = () => listed<DeliveryRow>(admin, 'sources.deliveries', { source: source.id })
      await sent(recipe.command!)
      await sent(recipe.testCommand!.replace(/(X-Signalbox-Test: \S+)\w"/, '$1_"'))
      await until(`${kind} is recorded`, async () => (await deliveries()).length > 0)
      assert.equal(
        (await incidents()).length,
        opened,
        `${kind} opens none without a mark, or with a forged one`,
      )
      await sent(recipe.testCommand!)
      opened += 1
      await until(`${kind} opened an incident`, async () => (await incidents()).length === opened)
      assert.equal((await deliveries())[0]!.isTest, true)
      assert.equal((await listed<AlertRow>(admin, 'sources.alerts', { source: source.id }))[0]!.isTest, true)
    }
    assert.ok((await incidents()).every(({ title }) => title === 'Test alert from Signalbox'))
    const source = await add('generic', [(await service('for a member')).id])
    const member = await as('member')
    const { testCommand } = await json<Recipe>(await member.read('sources.recipe', { source: source.id }))
    assert.equal(testCommand, null)
  })

  test('a description or label that was cut says so on the alert, and on what was understood', async () => {
    const { admin, service, add } = await aWorld()
    const source = await add('generic', [(await service('checkout')).id])
    const labels = { query: 'x'.repeat(2_001) }
    const body = JSON.stringify({ title: 'Slow', description: 'x'.repeat(10_001), labels })
    const { headers } = senders.generic.proving.sign({
      ...{ body, secret: source.secret, settings: {}, at: new Date() },
    })
    const response = await fetch(source.url, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', ...headers },
    })
    const { deliveryId: delivery } = (await response.json()) as { deliveryId: string }
    const alerts = () => listed<AlertRow>(admin, 'sources.alerts', { source: source.id })
    await until('it is understood', async () => (await alerts()).length === 1)
    const cuts = [
      'The description was cut at 10,000 characters.',
      'The label query was cut at 2,000 characters.',
    ]
    assert.deepEqual((await alerts())[0]!.cuts, cuts)
    const page = await admin.read('sources.delivery', { source: source.id, delivery })
    assert.deepEqual((await json<DeliveryPage>(page)).alertList[0]!.cuts, cuts)
  })

  test('the former secret of a source is ended by those who may change the source', async () => {
    const { as, admin, service, add } = await aWorld()
    const source = await add('generic', [(await service('checkout')).id])
    await json(await admin.write('sources.rotate', { source: source.id }))
    const member = await as('member')
    assert.equal((await member.write('sources.endFormerSecret', { source: source.id })).status, 403)
    assert.equal(await json(await admin.write('sources.endFormerSecret', { source: source.id })), null)
    const { formerSecretUntil } = await json<SourceRow>(
      await admin.read('sources.read', { source: source.id }),
    )
    assert.equal(formerSecretUntil, null)
    assert.equal(await deliver('generic', source), 401)
  })

  test('a test alert takes the names of headers that the source was set up with', async () => {
    const { admin, service, add } = await aWorld()
    const settings = { signatureHeader: 'X-Ours', timestampHeader: 'X-Sent-At' }
    const source = await add('grafana', [(await service('checkout')).id], { settings })
    await json(await admin.write('sources.test', { source: source.id }))
  })

  test('a test alert is in the log as what it is, under the name of its sender', async () => {
    const { admin, service, add } = await aWorld()
    const source = await add('generic', [(await service('checkout')).id])
    assert.equal(await deliver('generic', source), 202)
    await json(await admin.write('sources.test', { source: source.id }))
    const entries = () => listed<AuditEntry>(admin, 'audit.list', { event: 'signal_received' })
    await until('both are recorded', async () => (await entries()).length === 2)
    const [test, real] = await entries()
    assert.deepEqual(
      [test!.actor.type, test!.actor.name, test!.details.channel, test!.details.test],
      ['human', 'A admin', 'app', true],
    )
    assert.deepEqual(
      [real!.actor.type, real!.details.channel, real!.details.test],
      ['system', 'intake', undefined],
    )
  })

  test('everyone is told of every sender, and of what is done there to connect a source', async () => {
    const { as, service, add } = await aWorld()
    const member = await as('member')
    const shown = await listed<Sender>(member, 'senders.list')
    assert.deepEqual(
      shown.map(({ kind }) => kind),
      senderKinds,
    )
    const services = [(await service('checkout')).id]
    for (const { kind } of shown) {
      const { id: source, secret } = await add(kind, services)
      const recipe = await json<Recipe>(await member.read('sources.recipe', { source }))
      assert.ok(recipe.steps.length > 0 && recipe.notes.length > 0)
      assert.equal(recipe.command === null, kind === 'cloudwatch')
      assert.ok(!JSON.stringify(recipe).includes(secret))
    }
    const named = await add('grafana', services, { settings: { signatureHeader: 'X-Ours' } })
    const recipe = await json<Recipe>(await member.read('sources.recipe', { source: named.id }))
    assert.match(recipe.command!, /-H "X-Ours: \$SIGNATURE"/)
    const check = await add('uptime', services, { settings: { url: 'https://example.com/health' } })
    assert.equal(await json(await member.read('sources.recipe', { source: check.id })), null)
    const stranger = await (await aWorld()).as('owner')
    assert.equal((await stranger.read('sources.recipe', { source: named.id })).status, 404)
  })

  test('an uptime check is sent no test alert', async () => {
    const { admin, service, add } = await aWorld()
    const settings = { url: 'https://example.com/health' }
    const source = await add('uptime', [(await service('checkout')).id], { settings })
    assert.equal(source.secret, null)
    assert.equal(source.url, null)
    assert.equal((await admin.write('sources.test', { source: source.id })).status, 409)
  })

  test('a secret stands in the answers that make it and nowhere else', async () => {
    const { admin, service, add } = await aWorld()
    const { id: serviceId } = await service('checkout')
    const made = await admin.write('sources.add', { kind: 'generic', name: 'Scripts', services: [serviceId] })
    assert.equal(made.headers.get('cache-control'), 'no-store')
    const { id, secret } = await json<{ id: string; secret: string }>(made)
    const rotated = await json<{ secret: string; formerSecretUntil: string }>(
      await admin.write('sources.rotate', { source: id }),
    )
    assert.notEqual(rotated.secret, secret)
    const credentials = 'a key of the paging tool'
    const pager = await add('pagerduty', [serviceId], { secret: 'given by the sender'.replaceAll(' ', '-') })
    await json(await admin.write('sources.change', { source: pager.id, credentials }))
    await json(await admin.write('sources.test', { source: id }))
    const everything = await Promise.all(
      [
        admin.read('sources.list'),
        admin.read('sources.read', { source: id }),
        admin.read('sources.read', { source: pager.id }),
        admin.read('sources.deliveries', { source: id }),
        admin.read('sources.alerts', { source: id }),
        admin.read('services.read', { service: serviceId }),
      ].map(async (reply) => (await reply).text()),
    )
    for (const text of everything)
      for (const hidden of [secret, rotated.secret, pager.secret, credentials])
        assert.equal(text.includes(hidden), false)
    const source = await json<SourceRow>(await admin.read('sources.read', { source: id }))
    assert.equal(source.formerSecretUntil, rotated.formerSecretUntil)
    assert.equal(
      (await json<SourceRow>(await admin.read('sources.read', { source: pager.id }))).canUpdateAlerts,
      true,
    )
  })

  test('members read sources; only owners and admins add, change, test and delete them', async () => {
    const { as, service, add } = await aWorld()
    const { id: serviceId } = await service('checkout')
    const { id: source } = await add('generic', [serviceId])
    const member = await as('member')
    assert.equal((await listed(member, 'sources.list', { service: serviceId })).length, 1)
    const writes: [string, object][] = [
      ['sources.add', { kind: 'generic', name: 'x', services: [serviceId] }],
      ['sources.change', { source, name: 'x' }],
      ['sources.rotate', { source }],
      ['sources.pause', { source }],
      ['sources.test', { source }],
      ['sources.delete', { source }],
    ]
    for (const [name, input] of writes) assert.equal((await member.write(name, input)).status, 403, name)
    const owner = await as('owner')
    for (const name of ['sources.pause', 'sources.resume', 'sources.delete'])
      await json(await owner.write(name, { source }))
    assert.equal((await owner.read('sources.read', { source })).status, 404)
  })

  test('a refusal is counted with its reason, and an accepted delivery shows no secrets', async () => {
    const { admin, service, add } = await aWorld()
    const source = await add('alertmanager', [(await service('checkout')).id])
    assert.equal(await deliver('alertmanager', { ...source, secret: 'not this one, surely' }), 401)
    const refusals = () => listed<Refusal>(admin, 'sources.refusals', { source: source.id })
    await until('the refusal is written', async () => (await refusals()).length === 1)
    assert.match((await refusals())[0]!.reason, /not the secret of this source/)
    const body = JSON.stringify({
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Disk full', api_token: 'abcdef123456' },
          annotations: { description: 'curl -H "Authorization: Bearer abcdef123456"' },
        },
      ],
    })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${source.secret}` }
    assert.equal((await fetch(source.url, { method: 'POST', headers, body })).status, 202)
    const [{ id }] = (await listed<DeliveryRow>(admin, 'sources.deliveries', { source: source.id })) as [
      DeliveryRow,
    ]
    const reply = await admin.read('sources.delivery', { source: source.id, delivery: id })
    const delivery = await json<DeliveryPage>(reply)
    assert.equal(JSON.stringify(delivery).includes('abcdef123456'), false)
    assert.equal(delivery.alertList[0]!.labels.api_token, '[hidden]')
  })

  test('another workspace’s source is not there, and deliveries come page by page', async () => {
    const { admin, service, add } = await aWorld()
    const { id: source } = await add('generic', [(await service('checkout')).id])
    const stranger = await (await aWorld()).as('owner')
    assert.equal((await stranger.read('sources.read', { source })).status, 404)
    assert.deepEqual(await listed(stranger, 'sources.deliveries', { source }), [])
    for (let n = 0; n < 3; n += 1) await json(await admin.write('sources.test', { source }))
    const recorded = () => listed(admin, 'sources.deliveries', { source })
    await until('all are recorded', async () => (await recorded()).length === 3)
    const first = await json<{ data: DeliveryRow[]; nextCursor: string }>(
      await admin.read('sources.deliveries', { source, limit: '2' }),
    )
    assert.equal(first.data.length, 2)
    const rest = await json<{ data: DeliveryRow[]; nextCursor: string | null }>(
      await admin.read('sources.deliveries', { source, limit: '2', cursor: first.nextCursor }),
    )
    assert.equal(rest.data.length, 1)
    assert.equal(rest.nextCursor, null)
    assert.equal((await admin.read('sources.read', { source: 'x' })).status, 400)
  })
})
