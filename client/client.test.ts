import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { ApiError, ConnectionError, createClient, verifyWebhook, WebhookError } from './index.ts'
import { secondsIn } from './send.ts'

interface Heard {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown }

/** A server that gives these answers, one for each request. */
async function answering(...answers: Answer[]) {
  const heard: Heard[] = []
  const waits: number[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    heard.push({ method, url, headers, body: await text(request) })
    const { status = 200, headers: sent = {}, body = {} } = answers.shift() ?? { status: 500 }
    response
      .writeHead(status, { 'content-type': 'application/json', ...sent })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const client = createClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'tk_secret',
    sleep: async (ms) => void waits.push(ms),
  })
  return { client, heard, waits }
}

const refusal = (code: string) => ({ error: { code, message: `Says ${code}.` } })

test('a list is followed from page to page, with the same filters and no further than it is read', async () => {
  const { client, heard } = await answering(
    { body: { data: [{ key: 'dec-aaaa' }, { key: 'dec-bbbb' }], nextCursor: 'c+1' } },
    { body: { data: [{ key: 'dec-cccc' }], nextCursor: 'c2' } },
  )
  const listed = client.listDecisions({ status: 'pending', limit: 2 })
  assert.deepEqual(
    (await listed.take(3)).map(({ key }) => key),
    ['dec-aaaa', 'dec-bbbb', 'dec-cccc'],
  )
  assert.deepEqual(
    heard.map(({ url }) => url),
    ['/v1/decisions?status=pending&limit=2', '/v1/decisions?status=pending&limit=2&cursor=c%2B1'],
  )
  assert.equal(heard[0]!.headers.authorization, 'Bearer tk_secret')
})

test('what failed for the moment is sent again when the server says so, a write with the same key', async () => {
  const { client, heard, waits } = await answering(
    { status: 429, headers: { 'retry-after': '7' }, body: refusal('rate_limited') },
    { status: 503, body: 'upstream is away' },
    { body: { key: 'dec-k3x9', status: 'resolved' } },
  )
  const { status } = await client.resolveDecision({ decision: 'dec-k3x9', optionId: 'a', note: 'Go.' })
  assert.equal(status, 'resolved')
  assert.deepEqual(waits, [7_000, 1_000])
  assert.equal(heard.length, 3)
  assert.deepEqual(JSON.parse(heard[2]!.body), { optionId: 'a', note: 'Go.' })
  const keys = new Set(heard.map(({ headers }) => headers['idempotency-key']))
  assert.equal(keys.size, 1)
  assert.match([...keys].join(), /^[\w-]{36}$/)
})

test('what a server refuses for good, or for longer than one waits, is not sent again', async () => {
  const { client, heard } = await answering(
    { status: 409, headers: { 'x-request-id': 'r1' }, body: refusal('decision_already_resolved') },
    { status: 503, headers: { 'retry-after': '3600' }, body: refusal('service_unavailable') },
  )
  const answer = () => client.resolveDecision({ decision: 'dec-k3x9', optionId: 'a' })
  await assert.rejects(answer(), (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(
      [error.status, error.code, error.message, error.requestId],
      [409, 'decision_already_resolved', 'Says decision_already_resolved.', 'r1'],
    )
    return true
  })
  await assert.rejects(answer(), { status: 503, retryAfterSeconds: 3600 })
  assert.equal(heard.length, 2)
})

test('a signal ends the call, also while it waits to be sent again', async () => {
  const { client } = await answering({ status: 503, headers: { 'retry-after': '30' } })
  const ending = new AbortController()
  const waiting = createClient({
    url: 'http://127.0.0.1:1',
    token: 't',
    fetch: async () => {
      queueMicrotask(() => setImmediate(() => ending.abort(new Error('enough'))))
      return new Response('{}', { status: 503, headers: { 'retry-after': '30' } })
    },
  })
  await assert.rejects(waiting.readRun({ run: 'run-7k2q' }, { signal: ending.signal }), /enough/)
  await assert.rejects(client.listTeams({}, { signal: ending.signal }).page(), /enough/)
})

test('a server that is not there, or leads elsewhere, is named, and gets no token there', async () => {
  const { client, heard } = await answering({ status: 308, headers: { location: 'https://other.example/' } })
  await assert.rejects(client.readTeam({ team: 'a b/c' }), (error: unknown) => {
    assert.ok(error instanceof ConnectionError)
    assert.match(error.message, /redirect to https:\/\/other\.example\//)
    return true
  })
  assert.deepEqual(
    heard.map(({ url }) => url),
    ['/v1/teams/a%20b%2Fc'],
  )
  const gone = createClient({ url: 'http://127.0.0.1:1/', token: 't', retries: 0 })
  await assert.rejects(gone.listTeams().page(), /^ConnectionError: http:\/\/127\.0\.0\.1:1 cannot be reached/)
})

test('a name that is no name of anything leads to no other endpoint', async () => {
  const { client, heard } = await answering()
  for (const run of ['', '.', '..'])
    await assert.rejects(
      async () => client.readRun({ run }),
      /^TypeError: run must name something, not "\.{0,2}"\.$/,
    )
  assert.deepEqual(heard, [])
})

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-11-18T00:00:00Z')
  assert.equal(secondsIn('12', now), 12)
  assert.equal(secondsIn('Wed, 18 Nov 2026 00:00:30 GMT', now), 30)
  assert.equal(secondsIn('Wed, 18 Nov 2026 00:00:00 GMT', now + 5_000), 0)
  assert.equal(secondsIn('soon', now), null)
  assert.equal(secondsIn(null, now), null)
})

test('a webhook is taken with the signature of Standard Webhooks, and not otherwise', async () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`
  const sentAt = new Date('2026-11-18T00:00:00Z')
  const body = JSON.stringify({ type: 'decision.raised', data: { key: 'dec-k3x9', note: 'é' } })
  const signature = new Webhook(secret).sign('msg_1', sentAt, body)
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(sentAt.getTime() / 1_000),
    // The other one is of the secret that is being replaced.
    'webhook-signature': `v1,${'A'.repeat(43)}= ${signature}`,
  }
  const message = await verifyWebhook(body, headers, secret, sentAt)
  assert.equal(message.type, 'decision.raised')
  assert.deepEqual(await verifyWebhook(Buffer.from(body), new Headers(headers), secret, sentAt), message)
  const refused = (why: RegExp, ...given: Parameters<typeof verifyWebhook>) =>
    assert.rejects(verifyWebhook(...given), (error: unknown) => {
      assert.ok(error instanceof WebhookError)
      assert.match(error.message, why)
      return true
    })
  await refused(/was not made with/, `${body} `, headers, secret, sentAt)
  // What is no text is no less a forgery.
  await refused(/was not made with/, Buffer.from([0xff, 0xfe, 0x22]), headers, secret, sentAt)
  await refused(/was not made with/, body, headers, `whsec_${btoa('another')}`, sentAt)
  await refused(/was not made with/, body, { ...headers, 'webhook-id': 'msg_2' }, secret, sentAt)
  await refused(/five minutes/, body, headers, secret, new Date(sentAt.getTime() + 301_000))
  await refused(/webhook-signature is missing/, body, { ...headers, 'webhook-signature': '' }, secret, sentAt)
})
