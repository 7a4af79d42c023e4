import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { addSource } from '../../domain/sources/add.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'

/** Most deliveries take a shorter way. Nobody can tell which one took which. */

const app = await testApp({ env: { LOG_LEVEL: 'info' } })
after(() => app.stop())

const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
const added = await addSource(owner, app.storage.secrets, { kind: 'generic', name: 'Scripts', services: [] })
const url = `${app.signalUrl}/${fromJson(added.source).token}`

/** A parameter of the type that says nothing makes a delivery take the usual way. */
const [short, usual] = ['application/json', 'application/json; charset="utf-8"']

async function send(type: string, body: string, given: Record<string, string> = {}, method = 'POST') {
  const signature = `sha256=${createHmac('sha256', added.secret!).update(body).digest('hex')}`
  const headers = { 'content-type': type, 'x-service-signature': signature, ...given }
  const response = await fetch(url, { method, headers, body })
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
  test(`${what} is answered with ${status} in the same words either way`, async () => {
    // The source is remembered after the first.
    await send(usual, '{"title":"First"}')
    const [one, other] = [await send(short, body, given, method), await send(usual, body, given, method)]
    assert.equal(one.status, status)
    assert.deepEqual({ ...one, id: '' }, { ...other, id: '' })
    assert.match(one.id!, /^[0-9a-f-]{36}$/)
    const named = await send(short, body, { ...given, 'x-request-id': `asked-${status}` }, method)
    assert.equal(named.id, `asked-${status}`)
    const lines = () =>
      app.log.map((line) => JSON.parse(line)).filter((line) => line.verb === 'receiveSignal')
    const lineOf = (id: string) => lines().find((line) => line.requestId === id)
    await until('all are logged', () => [one.id!, other.id!].every((id) => lineOf(id) !== undefined))
    const [first, second] = [one.id!, other.id!].map((id) => ({
      ...lineOf(id),
      requestId: '',
      time: '',
      ms: 0,
    }))
    assert.deepEqual(first, second)
  })

test('a body that arrives in pieces is read whole, and one of which half arrives is stored by nobody', async () => {
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
  for (const body of bodies) statuses.push((await send(short, body)).status)
  assert.deepEqual(statuses, [202, 400, 202, 202, 202])
})
