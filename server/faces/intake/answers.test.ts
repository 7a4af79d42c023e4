import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'

/** How deliveries arrive, and what every answer to them carries. */

const app = await testApp({ env: { LOG_LEVEL: 'info' } })
after(() => app.stop())

const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
const added = await addSource(owner, app.storage.secrets, { kind: 'generic', name: 'Scripts', services: [] })
const url = `${app.signalUrl}/${fromJson(added.source).token}`

async function send(body: string, given: Record<string, string> = {}, method = 'POST', signal?: AbortSignal) {
  const signature = `sha256=${createHmac('sha256', added.secret!).update(body).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-service-signature': signature, ...given }
  const response = await fetch(url, { method, headers, body, ...(signal ? { signal } : {}) })
  const told = Object.fromEntries(response.headers)
  for (const name of ['date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'])
    delete told[name]
  const id = told['x-request-id']
  const text = (await response.text()).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, 'an id')
  return {
    status: response.status,
    id,
    names: [...response.headers.keys()],
    told: { ...told, 'x-request-id': '' },
    text,
  }
}

const large = JSON.stringify({ title: 'Large', description: 'ä'.repeat(25_000) })

for (const [what, status, body, given, method] of [
  ['an alert', 202, '{"title":"Disk is full"}', {}, 'POST'],
  ['an alert that is put', 202, '{"title":"Disk is full"}', {}, 'PUT'],
  ['an alert in several pieces', 202, large, {}, 'POST'],
  ['a wrong signature', 401, '{"title":"x"}', { 'x-service-signature': `sha256=${'0'.repeat(64)}` }, 'POST'],
  ['a wrong signature of much', 401, large, { 'x-service-signature': `sha256=${'0'.repeat(64)}` }, 'POST'],
  ['no JSON', 400, 'no JSON', {}, 'POST'],
  ['an alert without a title', 400, '{"severity":"high"}', {}, 'POST'],
  ['something that says it is compressed', 415, '{"title":"x"}', { 'content-encoding': 'gzip' }, 'POST'],
] as const)
  test(`${what} is answered with ${status}, and its line names it`, async () => {
    const answer = await send(body, given, method)
    assert.equal(answer.status, status)
    assert.match(answer.id!, /^[0-9a-f-]{36}$/)
    const named = await send(body, { ...given, 'x-request-id': `asked-${status}` }, method)
    assert.equal(named.id, `asked-${status}`)
    assert.deepEqual(named.told, answer.told)
    const lineOf = (id: string) =>
      app.log.map((line) => JSON.parse(line)).find(({ verb, requestId }) => verb && requestId === id)
    await until('it is logged', () => lineOf(named.id!) !== undefined)
    const { verb, channel, status: logged } = lineOf(named.id!)
    assert.deepEqual({ verb, channel, logged }, { verb: 'receiveSignal', channel: 'intake', logged: status })
  })

test('a delivery whose answer cannot be written is taken once', async (t) => {
  const { writeHead } = ServerResponse.prototype
  t.after(() => {
    ServerResponse.prototype.writeHead = writeHead
  })
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...told: unknown[]) {
    if (told[0] === 202) throw new Error('The wire is cut.')
    return (writeHead as (...told: unknown[]) => ServerResponse).apply(this, told)
  } as typeof writeHead
  const gone = AbortSignal.timeout(2_000)
  await assert.rejects(send('{"title":"Once only"}', {}, 'POST', gone))
  ServerResponse.prototype.writeHead = writeHead
  await send('{"title":"After it"}')
  const stored = async (title: string) =>
    (await app.storage.pool.query('select from deliveries where alerts::text like $1', [`%${title}%`])).rows
      .length
  await until('the later one is stored', async () => (await stored('After it')) === 1)
  assert.equal(await stored('Once only'), 1)
})

test('a body that arrives in pieces is read whole, and one of which half arrives is stored by no one', async () => {
  const body = '{"title":"In pieces"}'
  const signature = `sha256=${createHmac('sha256', added.secret!).update(body).digest('hex')}`
  const { hostname, port, pathname } = new URL(url)
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Service-Signature: ${signature}\r\n\r\n`
  const spoken = async (text: string) => {
    const socket = connect(Number(port), hostname).setNoDelay()
    await once(socket, 'connect')
    socket.write(head)
    for (const character of text) {
      socket.write(character)
      await sleep(1)
    }
    return socket
  }
  const stored = async () =>
    (await app.storage.pool.query(`select id from deliveries where alerts::text like '%In pieces%'`)).rows
      .length
  const half = await spoken(body.slice(0, 10))
  half.destroy()
  const whole = await spoken(body)
  const [reply] = await once(whole, 'data')
  whole.destroy()
  assert.match(String(reply), /^HTTP\/1\.1 202 /)
  await until('it is stored', async () => (await stored()) > 0)
  assert.equal(await stored(), 1)
})

test('a connection carries on after each of them', async () => {
  const bodies = ['{"title":"a"}', 'no JSON', '{"title":"b"}', large, '{"title":"c"}']
  const statuses = []
  for (const body of bodies) statuses.push((await send(body)).status)
  assert.deepEqual(statuses, [202, 400, 202, 202, 202])
})
