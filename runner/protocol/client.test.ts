import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { timeAt } from '../time.ts'
import { BackOff } from './back-off.ts'
import { createClient } from './client.ts'
import { Refused, Unreachable } from './failures.ts'

async function against(t: { after(done: () => void): void }, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const client = createClient({ url, token: 'tk_x', version: '1.0.0', time: timeAt() })
  t.after(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  return client
}

const order = { run: 'run-7k2q', fence: 3 }

test('every call says who calls, with which version and in which session', async (t) => {
  const seen: Record<string, unknown>[] = []
  const client = await against(t, ({ headers, url }, response) => {
    seen.push({ ...headers, url })
    response.writeHead(204).end()
  })
  client.session = 7
  await client.leave()
  const { authorization, 'user-agent': agent, 'signalbox-session': session, url } = seen[0]!
  assert.deepEqual(
    [authorization, agent, session, url],
    ['Bearer tk_x', 'signalbox-runner/1.0.0', '7', '/runner/v1/leave'],
  )
})

test('an answer that is too large is not read to its end', async (t) => {
  const client = await against(t, (_, response) => {
    response.writeHead(200)
    const more = () => {
      while (response.write('x'.repeat(100_000)));
    }
    response.on('drain', more)
    more()
  })
  client.maxFileBytes = 1_000_000
  await assert.rejects(client.fetchFile(order, 'a'.repeat(64)), /larger than 1000000 bytes/)
})

test('a redirect is not followed: the token would go where no one meant it to', async (t) => {
  let calls = 0
  const client = await against(t, (_, response) => {
    calls += 1
    response.writeHead(302, { location: 'https://elsewhere.example' }).end()
  })
  await assert.rejects(client.leave(), (error) => {
    assert.ok(error instanceof Refused)
    assert.match(error.message, /elsewhere\.example; give that address as --url/)
    return true
  })
  assert.equal(calls, 1)
})

test('a connection that the server closed while no one used it is no failure', async (t) => {
  let calls = 0
  const client = await against(t, (request, response) => {
    calls += 1
    // The second comes over the same connection, which ends without an answer.
    if (calls === 2) request.socket.destroy()
    else response.writeHead(204).end()
  })
  await client.leave()
  await client.leave()
  assert.equal(calls, 3)
})

test('what may be tried again and what may not are different errors, with when', async (t) => {
  let status = 503
  const client = await against(t, (_, response) => {
    response.writeHead(status, { 'retry-after': '7' })
    response.end(JSON.stringify({ error: { code: 'outdated', message: 'No.' }, next: 4 }))
  })
  await assert.rejects(
    client.leave(),
    (error) => error instanceof Unreachable && error.retryAfterSeconds === 7,
  )
  status = 409
  await assert.rejects(
    client.leave(),
    (error) => error instanceof Refused && error.code === 'outdated' && error.next === 4,
  )
})

test('an order whose run would lead out of the spool is no order', async (t) => {
  const client = await against(t, (_, response) => {
    response.end(JSON.stringify({ order: { run: '../../etc', fence: 1 }, cursor: '' }))
  })
  await assert.rejects(client.acquire({ ask: 'a', free: 1 }, 30), /without a run and a fence/)
})

test('tries are 1 to 30 seconds apart, never in step, and as late as the server asks', () => {
  const backOff = new BackOff()
  const waits = Array.from({ length: 10 }, () => backOff.next())
  for (const [at, wait] of waits.entries()) {
    const most = Math.min(30, 2 ** at)
    assert.ok(wait >= most / 2 && wait <= most, `${wait} of ${most}`)
  }
  assert.ok(backOff.next(60) >= 60)
  backOff.reset()
  assert.ok(backOff.next() <= 1)
})

test('an address of a credential that says no more is below the server, and any other is as it is', async (t) => {
  const addresses = ['orders/run-7k2q/3/repository.git', 'https://git.example.com/a.git', '/srv/orders/a.git']
  const client = await against(t, (_, response) => {
    response.end(JSON.stringify({ address: addresses.shift(), header: null, expiresAt: null }))
  })
  const ask = () => client.credential(order, { for: 'git', access: 'read' })
  const { address, isRelayed } = await ask()
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/runner\/v1\/orders\/run-7k2q\/3\/repository\.git$/)
  assert.equal(isRelayed, true)
  for (const given of ['https://git.example.com/a.git', '/srv/orders/a.git'])
    assert.deepEqual(await ask(), { address: given, header: null, expiresAt: null, isRelayed: false })
})
