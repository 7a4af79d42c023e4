import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import type net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ledgerInto } from '../test/ledger.ts'
import { Room } from './bodies.ts'
import { openGateway, type Usage } from './gateway.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-bodies-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function setUp(answer: http.RequestListener) {
  const model = http.createServer(answer)
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  const base = `http://127.0.0.1:${(model.address() as net.AddressInfo).port}`
  const booked: Usage[] = []
  const gateway = await openGateway({
    upstreams: { anthropic: { base, key: 'k' } },
    ...{ usdMicros: null, ledger: ledgerInto(booked), folder, closingMs: 1 },
  })
  after(async () => {
    await gateway.close()
    model.closeAllConnections()
    model.close()
  })
  return { gateway, booked }
}

const bodyOf = (letters: number) =>
  JSON.stringify({
    ...{ model: 'claude-opus-4-5', max_tokens: 1_000 },
    messages: [{ role: 'user', content: 'x'.repeat(letters) }],
  })

const bill = JSON.stringify({ model: 'claude-opus-4-5', usage: { input_tokens: 10, output_tokens: 10 } })

test('a request that is too long is refused, whether it says its length or not', async () => {
  let reached = 0
  const { gateway } = await setUp((_, response) => {
    reached++
    response.end(bill)
  })
  const post = (headers: http.OutgoingHttpHeaders, send: (request: http.ClientRequest) => void) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = http.request(
        `${gateway.url}/v1/messages`,
        { method: 'POST', headers },
        async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode!, text })
        },
      )
      request.once('error', reject)
      send(request)
    })
  const said = await post({ 'content-length': 33_000_000 }, (request) => request.write('{'))
  assert.equal(said.status, 413)
  assert.match(said.text, /request_too_large/)
  const chunk = Buffer.alloc(1_000_000, 'x')
  const unsaid = await post({}, (request) => {
    let sent = 0
    const more = () => {
      while (sent++ < 40 && !request.destroyed)
        if (!request.write(chunk)) return void request.once('drain', more)
    }
    more()
  })
  assert.equal(unsaid.status, 413)
  assert.equal(reached, 0)
})

test('requests of one order do not take more memory at once than two of the longest', async () => {
  let [inside, most] = [0, 0]
  const held: (() => void)[] = []
  const { gateway } = await setUp(async (request, response) => {
    most = Math.max(most, ++inside)
    for await (const _ of request);
    held.push(() => {
      inside--
      response.end(bill)
    })
  })
  const body = bodyOf(20_000_000)
  let answered = 0
  const calls = Array.from({ length: 5 }, async () => {
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body })
    assert.equal(response.status, 200)
    await response.text()
    answered++
  })
  while (answered < calls.length) {
    held.shift()?.()
    await wait(5)
  }
  await Promise.all(calls)
  assert.ok(most <= 3, `${most} requests of 20 MB were under way at once`)
})

test('an answer is passed on as fast as the agent takes it, and is not held', async () => {
  let written = 0
  const chunk = Buffer.alloc(1_000_000, 'x')
  const { gateway } = await setUp((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const more = () => {
      while (written < 500 && !response.destroyed) {
        written++
        if (!response.write(chunk)) return void response.once('drain', more)
      }
    }
    more()
  })
  const request = http.request(`${gateway.url}/v1/messages`, { method: 'POST' })
  request.end(bodyOf(10))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  await once(response, 'readable')
  // It stops by itself once the buffers on the way are full.
  let before = -1
  while (before !== written) {
    before = written
    await wait(300)
  }
  assert.ok(written < 60, `${written} MB were taken for an agent that reads nothing`)
  request.destroy()
})

test('a line without an end and an answer without an end are not held either, and are booked as all they could cost', async () => {
  for (const type of ['text/event-stream', 'application/json']) {
    const usage = { input_tokens: 10, output_tokens: 10 }
    const ending = JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
    const { gateway, booked } = await setUp((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': type })
      for (let at = 0; at < 20; at++) response.write('x'.repeat(1_000_000))
      response.end(`\ndata: ${ending}\n\n`)
    })
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: bodyOf(10) })
    assert.ok((await response.text()).length > 20_000_000)
    const isStream = type === 'text/event-stream'
    // What comes after a line that was too long to read is read again.
    while (booked.length === 0) await wait(5)
    assert.equal(booked[0]!.output, isStream ? 10 : 1_000)
  }
})

test('room is given in the order in which it was asked for, and to nobody who has gone', async () => {
  const whole = new Room(15)
  const room = new Room(10, whole)
  const there = new AbortController().signal
  const leave = await room.enter(10, there)
  const order: string[] = []
  const gone = new AbortController()
  const first = room.enter(10, gone.signal).catch(() => order.push('gone'))
  const second = room.enter(5, there).then((leave) => {
    order.push('second')
    return leave
  })
  const third = room.enter(6, there).then(() => order.push('third'))
  gone.abort()
  await first
  leave()
  leave()
  const leaveSecond = await second
  assert.deepEqual(order, ['gone', 'second'])
  leaveSecond()
  await third
  // What another order holds is missing to this one.
  const other = new Room(10, whole)
  let isIn = false
  const late = other.enter(10, there).then(() => {
    isIn = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isIn, false)
  void late
})
