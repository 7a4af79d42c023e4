import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { testApp } from '../app.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/** What orchestrators and load balancers ask, and what an operator is told beyond that. */

const token = 'a-token-of-the-operator-that-is-long-enough'
const bearer = { authorization: `Bearer ${token}` }
let app: Awaited<ReturnType<typeof testApp>>
let operator: string
let owner: pg.Client

before(async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  operator = `http://127.0.0.1:${port}`
  const env = { OPERATOR_PORT: String(port), OPERATOR_TOKEN: token, TRUST_PROXY: '127.0.0.1' }
  app = await testApp({ env })
  owner = new pg.Client({ connectionString: app.databaseUrl })
  await owner.connect()
})
after(async () => {
  await owner.end()
  await app.stop()
})

async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  return { status: response.status, text: await response.text() }
}

/** As it looks from another machine without https. */
const fromElsewhere = (path: string, method = 'GET') =>
  ask(app.url + path, { method, headers: { 'x-forwarded-proto': 'http', 'x-forwarded-for': '192.0.2.7' } })

test('probes are answered over plain HTTP from anywhere, and nothing else is', async () => {
  assert.deepEqual(await fromElsewhere('/healthz'), { status: 200, text: '{"status":"ok"}' })
  assert.deepEqual(await fromElsewhere('/readyz?by=kubelet'), { status: 200, text: '{"status":"ready"}' })
  assert.equal((await fromElsewhere('/readyz', 'HEAD')).status, 200)
  for (const [method, path] of [
    ['POST', '/readyz'],
    ['GET', '/readyz/more'],
    ['GET', '/%72eadyz/..'],
    ['GET', '/health'],
    ['GET', '/v1/teams'],
    ['GET', '/'],
    ['POST', '/signals/unknown'],
  ] as const)
    assert.match((await fromElsewhere(path, method)).text, /"https_required"/, `${method} ${path}`)
})

test('a probe that is answered with yes leaves no line in the log, and counts under a name of its own', async () => {
  const lines = () => app.log.map((line) => JSON.parse(line)).filter(({ verb }) => /^check/.test(verb))
  const before = lines().length
  assert.equal((await ask(`${app.url}/readyz`)).status, 200)
  assert.equal((await ask(`${app.url}/healthz`)).status, 200)
  const { text } = await ask(`${operator}/metrics`, { headers: bearer })
  for (const name of ['checkReadiness', 'checkHealth'])
    assert.match(text, new RegExp(`signalbox_http_request_seconds_count\\{[^}]*operation="${name}"`))
  assert.equal(lines().length, before)
})

test('metrics need the operator’s token where there is one; probes do not', async () => {
  for (const headers of [{}, { authorization: `Bearer ${token}x` }, { authorization: token }])
    assert.equal((await ask(`${operator}/metrics`, { headers })).status, 401)
  assert.equal((await ask(`${operator}/nothing`)).status, 401)
  assert.match((await ask(`${operator}/metrics`, { headers: bearer })).text, /signalbox_http_request_seconds/)
  for (const path of ['/healthz', '/readyz']) assert.equal((await ask(operator + path)).status, 200, path)
})

test('a node whose database another version has migrated takes no delivery, is not ready and says why only to the operator', async () => {
  const admin = await aMember(await aWorkspace(app.storage.db), 'owner')
  const { slug: team } = await aTeam(admin)
  const service = fromJson(await createService(admin, { name: 'checkout', team, settings: {} }))
  const made = await addSource(admin, app.storage.secrets, {
    kind: 'generic',
    name: 'Scripts',
    services: [service.id],
  })
  const address = fromJson(made.source).token
  const body = JSON.stringify({ title: 'Slow', fingerprint: 'one', severity: 'info' })
  const signature = createHmac('sha256', made.secret!).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` }
  const deliver = () => ask(`${app.url}/signals/${address}`, { method: 'POST', headers, body })
  assert.equal((await deliver()).status, 202)

  const next = (contract: number) =>
    owner.query(
      `insert into migrations (number, name, checksum, contract)
       values (9999, '9999_of_the_next_version.sql', 'x', $1)
       on conflict (number) do update set contract = excluded.contract`,
      [contract],
    )
  await next(50)
  assert.equal((await fromElsewhere('/readyz')).status, 200, 'one that only adds leaves it ready')
  assert.equal((await deliver()).status, 202)
  await next(9998)
  const said = { code: 'service_unavailable', message: 'This server is not ready. Try again in a moment.' }
  const ready = await fromElsewhere('/readyz')
  assert.deepEqual([ready.status, JSON.parse(ready.text)], [503, { error: said }])
  const reason = /newer than this node: it has migration 9999_of_the_next_version\.sql.*Update this node\./
  const told = await ask(`${operator}/readyz`, { headers: bearer })
  assert.equal(told.status, 503)
  assert.match(JSON.parse(told.text).reasons[0], reason)
  const stranger = await ask(`${operator}/readyz`)
  assert.deepEqual([stranger.status, stranger.text], [503, '{"status":"not ready"}\n'])
  assert.equal(
    app.log.filter((line) => reason.test(line)).length,
    1,
    'logged once, however often it is asked',
  )
  const refused = await deliver()
  assert.deepEqual([refused.status, /Send it again/.test(refused.text)], [503, true])
  assert.equal((await fromElsewhere('/healthz')).status, 200)

  await owner.query('delete from migrations where number = 9999')
  // No probe asks for readiness: the node checks on its own.
  await until('deliveries are taken again', async () => (await deliver()).status === 202)
  await owner.query(
    `update migrations set checksum = 'other' where number = (select max(number) from migrations)`,
  )
  await until('they are refused', async () => (await deliver()).status === 503)
})
