import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import type { Service } from '@signalbox/contract/service.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { SourceKind } from '@signalbox/contract/source.ts'
import { listAlertRows } from '../../domain/on-call/alerts/list-rows.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { deleteSource } from '../../domain/on-call/sources/delete.ts'
import { endFormerSecret } from '../../domain/on-call/sources/end-former-secret.ts'
import { pauseSource } from '../../domain/on-call/sources/pause.ts'
import { rotateSecret } from '../../domain/on-call/sources/rotate-secret.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aTeam, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'

const app = await testApp()
after(() => app.stop())

const sign = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

async function aSource(kind: SourceKind = 'generic', settings: Partial<Service['settings']> = {}) {
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(owner)
  const service = fromJson(await createService(owner, { name: 'Checkout', team: team.slug, settings }))
  const added = await addSource(owner, app.storage.secrets, { kind, name: 'Alerts', services: [service.id] })
  const { id, token } = fromJson(added.source)
  const url = `${app.signalUrl}/${token}`
  const secret = added.secret!
  const send = (alert: unknown, headers: Record<string, string> = {}) => {
    const body = typeof alert === 'string' ? alert : JSON.stringify(alert)
    return fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-signature': sign(secret, body),
        ...headers,
      },
      body,
    })
  }
  const events = async (event: string) =>
    (await listAudit(owner, { event: event as 'incident_opened' }, { limit: 100, after: null })).data.map(
      fromJson,
    )
  return { owner, team, service, id, url, secret, send, events }
}

const code = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
]

test('an accepted alert is answered with 202, is recorded, and opens an incident', async () => {
  const { send, events } = await aSource()
  const response = await send({ title: 'Checkout is slow', severity: 'critical' })
  assert.equal(response.status, 202)
  const body = (await response.json()) as { accepted: number; deliveryId: string }
  assert.equal(body.accepted, 1)
  assert.match(body.deliveryId, /^[0-9a-f-]{36}$/)
  await until('it is recorded', async () => (await events('signal_received')).length > 0)
  const received = await events('signal_received')
  assert.equal(received.length, 1)
  const alert = { title: 'Checkout is slow', status: 'firing', severity: 'critical' }
  assert.deepEqual(received[0]!.details.told, [alert])
  await until('the incident is opened', async () => (await events('incident_opened')).length === 1)
  const [opened] = await events('incident_opened')
  assert.match(opened!.entity.id, /^inc-[a-z0-9]{4}$/)
  assert.equal(opened!.entity.name, 'Checkout is slow')
})

test('an incident is joined by other alerts of its service, and resolved when all of them have recovered', async () => {
  const { send, events } = await aSource()
  await send({ title: 'One', fingerprint: 'a', severity: 'high' })
  await send({ title: 'Two', fingerprint: 'b', severity: 'low' })
  await send({ title: 'One', fingerprint: 'a', status: 'resolved' })
  await until('both alerts are in', async () => (await events('incident_updated')).length > 0)
  assert.equal((await events('incident_resolved')).length, 0)
  await send({ title: 'Two', fingerprint: 'b', status: 'resolved' })
  await until('the incident is resolved', async () => (await events('incident_resolved')).length === 1)
  assert.equal((await events('incident_opened')).length, 1)
})

test('alerts below the lowest severity are recorded and open nothing', async () => {
  const { send, events } = await aSource('generic', { lowestSeverity: 'high' })
  await send({ title: 'Disk is filling', fingerprint: 'd' })
  await send({ title: 'Disk is full', fingerprint: 'e', severity: 'P1' })
  await until('the second opens one', async () => (await events('incident_opened')).length === 1)
  const [opened] = await events('incident_opened')
  assert.equal(opened!.entity.name, 'Disk is full')
})

test('an unknown address is 404 whatever is sent, and a wrong proof is 401', async () => {
  const { send, url } = await aSource()
  const nowhere = `${app.signalUrl}/${'x'.repeat(32)}`
  assert.deepEqual(await code(await fetch(nowhere, { method: 'POST', body: 'x' })), [404, 'unknown_address'])
  assert.deepEqual(await code(await fetch(`${app.signalUrl}/short`, { method: 'POST', body: 'x' })), [
    404,
    'unknown_address',
  ])
  assert.deepEqual(await code(await fetch(url, { method: 'POST', body: '{"title":"x"}' })), [
    401,
    'invalid_proof',
  ])
  assert.deepEqual(await code(await send({ title: 'x' }, { 'x-service-signature': 'sha256=00' })), [
    401,
    'invalid_proof',
  ])
})

test('a payload over 512 KB is refused, also at an address that takes it otherwise', async () => {
  const { send } = await aSource()
  const large = JSON.stringify({ title: 'x', description: 'a'.repeat(524_288) })
  assert.deepEqual(await code(await send(large)), [413, 'payload_too_large'])
  const fits = JSON.stringify({ title: 'x', description: '' })
  const padded = JSON.stringify({ title: 'x', description: 'a'.repeat(524_288 - fits.length) })
  assert.equal(Buffer.byteLength(padded), 524_288)
  assert.equal((await send(padded)).status, 202)
})

test('a generic alert that cannot be read is 400 with a sentence; other content than JSON is 415', async () => {
  const { send } = await aSource()
  assert.deepEqual(await code(await send('{"status":"firing"}')), [400, 'invalid_alert'])
  assert.deepEqual(await code(await send('not json')), [400, 'invalid_alert'])
  assert.deepEqual(await code(await send({ title: 'x' }, { 'content-type': 'text/xml' })), [
    415,
    'unsupported_media_type',
  ])
})

test('a body of another sender that cannot be used is 202 all the same, with the problem in the log', async () => {
  const { url, secret, events } = await aSource('alertmanager')
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  assert.equal((await fetch(url, { method: 'POST', headers, body: '{"no":"alerts"}' })).status, 202)
  await until('it is recorded', async () => (await events('signal_received')).length > 0)
  const [received] = await events('signal_received')
  assert.equal(typeof received!.details.problem, 'string')
})

test('the same timed delivery twice is accepted twice and counts once', async () => {
  const { send, secret, events } = await aSource()
  const body = JSON.stringify({ title: 'Once', severity: 'critical' })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = sign(secret, `${timestamp}.${body}`)
  const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature }
  const first = (await (await send(body, headers)).json()) as { deliveryId: string }
  const second = (await (await send(body, headers)).json()) as { deliveryId: string }
  assert.equal(second.deliveryId, first.deliveryId)
  await until('it is recorded', async () => {
    const { rows } = await app.storage.pool.query('select from intake')
    return rows.length === 0
  })
  assert.equal((await events('signal_received')).length, 1)
})

test('a rotated secret and its successor are both accepted; a deleted source is unknown at once', async () => {
  const { owner, id, send, url } = await aSource()
  const { secret } = await rotateSecret(owner, app.storage.secrets, id)
  assert.equal((await send({ title: 'old' })).status, 202)
  const body = '{"title":"new"}'
  const headers = { 'content-type': 'application/json', 'x-service-signature': sign(secret, body) }
  assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202)
  await deleteSource(owner, id)
  assert.deepEqual(await code(await fetch(url, { method: 'POST', headers, body })), [404, 'unknown_address'])
})

test('a paused source accepts and records, and nothing comes of it until it is resumed', async () => {
  const { owner, id, send, events } = await aSource()
  await pauseSource(owner, id, true)
  assert.equal((await send({ title: 'While paused', severity: 'critical' })).status, 202)
  await pauseSource(owner, id, false)
  await send({ title: 'Afterwards', severity: 'critical' })
  await until('the second opens one', async () => (await events('incident_opened')).length === 1)
  assert.equal((await events('incident_opened'))[0]!.entity.name, 'Afterwards')
})

test('a storm of two thousand alerts over fifty fingerprints is one incident', async () => {
  const { send, events } = await aSource()
  const sends = Array.from({ length: 200 }, (_, n) =>
    send({
      alerts: Array.from({ length: 10 }, (_, m) => ({
        title: `Alert ${(n * 10 + m) % 50}`,
        fingerprint: `f${(n * 10 + m) % 50}`,
        severity: 'high',
      })),
    }),
  )
  for (const response of await Promise.all(sends)) assert.equal(response.status, 202)
  await until('everything is understood', async () => {
    const { rows } = await app.storage.pool.query('select from intake')
    return rows.length === 0
  })
  assert.equal((await events('incident_opened')).length, 1)
})

test('a wrong method at a known address is 405 with Allow, and at an unknown one 404', async () => {
  const { url, send } = await aSource()
  for (const method of ['GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
    const known = await fetch(url, { method })
    assert.deepEqual([known.status, known.headers.get('allow')], [405, 'POST, PUT'], method)
    assert.ok(known.headers.has('x-ratelimit-limit'))
    if (method !== 'HEAD') assert.deepEqual(await code(known), [405, 'method_not_allowed'])
    const unknown = await fetch(`${app.signalUrl}/${'x'.repeat(32)}`, { method })
    assert.deepEqual([unknown.status, unknown.headers.get('allow')], [404, null], method)
  }
  assert.deepEqual(await code(await fetch(`${url}?key=x`, { method: 'GET' })), [405, 'method_not_allowed'])
  assert.equal((await fetch(`${url}/more`)).status, 404)
  assert.equal((await send({ title: 'Still there' })).status, 202)
})

test('an intake without a path of its own says so too, and leaves the pages of the app alone', async () => {
  const bare = await testApp({
    env: { SIGNAL_URL: 'https://alerts.example.com' },
    databaseUrl: app.databaseUrl,
  })
  try {
    const { url } = await aSource()
    const address = `${bare.url}/${url.split('/').at(-1)}`
    const known = await fetch(address)
    assert.deepEqual([known.status, known.headers.get('allow')], [405, 'POST, PUT'])
    for (const page of ['/', '/sign-in', `/${'x'.repeat(32)}`]) {
      const [here, there] = await Promise.all([fetch(bare.url + page), fetch(app.url + page)])
      assert.deepEqual(
        [here.status, here.headers.get('content-type')],
        [there.status, there.headers.get('content-type')],
        page,
      )
    }
  } finally {
    await bare.stop()
  }
})

test('a former secret that was ended is refused at once', async () => {
  const { owner, id, send } = await aSource()
  await rotateSecret(owner, app.storage.secrets, id)
  assert.equal((await send({ title: 'old' })).status, 202)
  await endFormerSecret(owner, id)
  assert.deepEqual(await code(await send({ title: 'old' })), [401, 'invalid_proof'])
})

test('two groups of one Datadog monitor in one evaluation are two alerts; one that is sent again is not', async () => {
  const { owner, id, url, secret, events } = await aSource('datadog')
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const group = async (host: string) => {
    const title = `[P1] [Triggered on {host:${host}}] Disk is full`
    const body = JSON.stringify({ id: '4711', title, date: '1760000000000' })
    const response = await fetch(url, { method: 'POST', headers, body })
    assert.equal(response.status, 202)
    return ((await response.json()) as { deliveryId: string }).deliveryId
  }
  const [one, other, again] = [await group('a'), await group('b'), await group('b')]
  assert.notEqual(one, other)
  assert.equal(again, other)
  const alerts = async () =>
    (await listAlertRows(owner, { source: id }, { limit: 10, after: null })).data.map(fromJson)
  await until('both are understood', async () => (await alerts()).length === 2)
  assert.deepEqual(
    (await alerts()).map(({ labels, count }) => [labels.scope, count]),
    [
      ['host:b', 1],
      ['host:a', 1],
    ],
  )
  assert.equal((await events('signal_received')).length, 2)
})
