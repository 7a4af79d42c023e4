import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import type net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { ledgerInto } from '../test/ledger.ts'
import { ofProcess, Room } from './bodies.ts'
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

test('requests of one order are held with no more bytes at once than the longest has, and are not held once they are sent', async () => {
  let most = 0
  const look = () => {
    most = Math.max(most, ofProcess.taken)
  }
  let inside = 0
  const { gateway } = await setUp(async (request, response) => {
    for await (const _ of request) look()
    inside++
    // All have arrived before any is answered: none of them takes room while its provider thinks.
    while (inside < 4) await wait(5)
    look()
    response.end(bill)
  })
  const body = bodyOf(15_000_000)
  const calls = Array.from({ length: 4 }, async () => {
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body })
    assert.equal(response.status, 200)
    await response.text()
  })
  await Promise.all(calls)
  assert.ok(most >= 15_000_000 && most <= 32_000_000, `${most} bytes were held`)
  assert.equal(ofProcess.taken, 0)
})

test('what is sent to the provider is what was asked for, whatever is long in it', async () => {
  let heard = ''
  const { gateway } = await setUp(async (request, response) => {
    heard = ''
    for await (const chunk of request.setEncoding('utf8')) heard += chunk
    response.end(bill)
  })
  const long = (text: string) => text.repeat(1_000)
  const texts = [
    long('abc"\\'),
    long('\u20ac\n'),
    long('\u0001'),
    long('\\'),
    `${long('x')}\u0001deadbeef:0`,
    'short',
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(...texts), fc.string()), { minLength: 1 }),
      async (said) => {
        const asked = {
          ...{ model: 'claude-opus-4-5', max_tokens: 1_000, system: said[0] },
          messages: said.map((content) => ({ role: 'user', content })),
        }
        const response = await fetch(`${gateway.url}/v1/messages`, {
          method: 'POST',
          body: JSON.stringify(asked),
        })
        assert.equal(response.status, 200)
        assert.deepEqual(JSON.parse(heard), asked)
      },
    ),
    { numRuns: 30 },
  )
})

test('a long text cannot hide what another reader of the request would find in it', async () => {
  let reached = 0
  const { gateway } = await setUp((_, response) => {
    reached++
    response.end(bill)
  })
  const around = (inner: Buffer | string) =>
    Buffer.concat([
      Buffer.from('{"model":"claude-opus-4-5","max_tokens":10,"messages":[{"role":"user","content":"'),
      ...[Buffer.alloc(3_000, 'x'), Buffer.from(inner), Buffer.alloc(3_000, 'x')],
      Buffer.from('"}]}'),
    ])
  for (const [inner, name] of [
    [Buffer.from([0xc0, 0xa2]), 'a quote in two bytes'],
    [Buffer.from([0xff]), 'no text'],
    ['\n', 'a line that breaks'],
    ['","container":"c","x":"', 'an end of it'],
    ['\u0000', 'a nought'],
  ] as const) {
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: around(inner) })
    assert.equal(response.status, 400, name)
  }
  const parts = Array.from({ length: 200_000 }, () => ({ type: 'text', text: '' }))
  const many = JSON.stringify({ ...JSON.parse(bodyOf(1)), messages: [{ role: 'user', content: parts }] })
  assert.equal((await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body: many })).status, 400)
  assert.equal(reached, 0)
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
  // It stops on its own once the buffers on the way are full.
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

test('room is given in the order in which it was asked for, and not to requests that have gone', async () => {
  const whole = new Room(15)
  const room = new Room(10, whole)
  const there = new AbortController().signal
  const { leave } = await room.enter(10, there)
  const order: string[] = []
  const gone = new AbortController()
  const first = room.enter(10, gone.signal).catch(() => order.push('gone'))
  const second = room.enter(5, there).then((stay) => {
    order.push('second')
    return stay
  })
  const third = room.enter(6, there).then(() => order.push('third'))
  gone.abort()
  await first
  leave()
  leave()
  const { leave: leaveSecond, keep } = await second
  keep(4)
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
