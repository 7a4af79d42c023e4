import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { ledgerInto } from '../test/ledger.ts'
import type { Api } from './apis.ts'
import { upstreamsFrom } from './apis.ts'
import { openConnectProxy } from './connect-proxy.ts'
import { type GatewayOptions, openGateway, type Usage } from './gateway.ts'
import { priceOf } from './prices.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-gateway-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A model of each API, whose every answer used 1,000 tokens of input, 200 of them cached, and 50 of output. */
const events = (...parts: object[]) => parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')
const answers: { api: Api; path: string; asks: object; plain: object; streamed: string }[] = [
  {
    api: 'anthropic',
    path: '/v1/messages',
    asks: { model: 'claude-opus-4-5', max_tokens: 1_000, messages: [{ role: 'user', content: 'hello' }] },
    plain: {
      model: 'claude-opus-4-5',
      usage: { input_tokens: 800, cache_read_input_tokens: 200, output_tokens: 50 },
    },
    streamed: events(
      {
        type: 'message_start',
        message: {
          model: 'claude-opus-4-5',
          usage: { input_tokens: 800, cache_read_input_tokens: 200, output_tokens: 1 },
        },
      },
      { type: 'content_block_delta', delta: { text: 'hello' } },
      { type: 'message_delta', usage: { output_tokens: 50 } },
    ),
  },
  {
    api: 'openai',
    path: '/v1/chat/completions',
    asks: { model: 'gpt-5.5', messages: [{ role: 'user', content: 'hello' }] },
    plain: {
      model: 'gpt-5.5',
      usage: { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 200 }, completion_tokens: 50 },
    },
    streamed: `${events(
      { model: 'gpt-5.5', choices: [{ delta: { content: 'hello' } }] },
      {
        model: 'gpt-5.5',
        choices: [],
        usage: { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 200 }, completion_tokens: 50 },
      },
    )}data: [DONE]\n\n`,
  },
  {
    api: 'openai',
    path: '/v1/responses',
    asks: { model: 'gpt-5.5', input: 'hello' },
    plain: {
      model: 'gpt-5.5',
      usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 200 }, output_tokens: 50 },
    },
    streamed: events(
      { type: 'response.output_text.delta', delta: 'hello' },
      {
        type: 'response.completed',
        response: {
          model: 'gpt-5.5',
          usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 200 }, output_tokens: 50 },
        },
      },
    ),
  },
  {
    api: 'google',
    path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent',
    asks: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    plain: [
      { modelVersion: 'gemini-2.5-pro', candidates: [] },
      {
        modelVersion: 'gemini-2.5-pro',
        usageMetadata: { promptTokenCount: 1000, cachedContentTokenCount: 200, candidatesTokenCount: 50 },
      },
    ],
    streamed: events(
      { modelVersion: 'gemini-2.5-pro', usageMetadata: { promptTokenCount: 1000 } },
      {
        candidates: [{ finishReason: 'STOP' }],
        modelVersion: 'gemini-2.5-pro',
        usageMetadata: { promptTokenCount: 1000, cachedContentTokenCount: 200, candidatesTokenCount: 50 },
      },
    ),
  },
]

interface Asked {
  url: string
  headers: http.IncomingHttpHeaders
  body: string
}

async function setUp(options: Partial<GatewayOptions> = {}, answer?: http.RequestListener) {
  const asked: Asked[] = []
  const model = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push({ url: request.url!, headers: request.headers, body })
    if (answer) return answer(request, response)
    const { plain, streamed } = answers.find(({ path }) => request.url!.startsWith(path))!
    const isStream = body.includes('"stream":true') || request.url!.includes('alt=sse')
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(isStream ? streamed : JSON.stringify(plain))
  })
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  const base = `http://127.0.0.1:${(model.address() as net.AddressInfo).port}`
  const booked: Usage[] = []
  const gateway = await openGateway({
    upstreams: {
      anthropic: { base, key: 'real-a' },
      openai: { base, key: 'real-o' },
      google: { base, key: 'real-g' },
    },
    usdMicros: null,
    ledger: ledgerInto(booked),
    folder,
    ...options,
  })
  after(async () => {
    await gateway.close()
    model.close()
    model.closeAllConnections()
  })
  const ask = (_: Api, path: string, body: object = {}, search = '') =>
    fetch(`${gateway.url}${path}${search}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer placeholder',
        'x-api-key': 'placeholder',
      },
      body: JSON.stringify({ ...answers.find((each) => each.path === path)?.asks, ...body }),
    })
  return { gateway, asked, booked, ask }
}

test('every call is counted by what its answer says, streamed or not, in each of four formats', async () => {
  const { ask, booked, gateway } = await setUp()
  for (const { api, path, plain, streamed } of answers) {
    const whole = await ask(api, path)
    assert.deepEqual(await whole.json(), plain)
    const isGoogle = api === 'google'
    const streaming = isGoogle ? {} : { stream: true }
    const events = await ask(api, path, streaming, isGoogle ? '?alt=sse&key=placeholder' : '')
    assert.equal(await events.text(), streamed)
  }
  for (const { input, cacheRead, output, source, currency } of booked)
    assert.deepEqual(
      { input, cacheRead, output, source, currency },
      { input: 1000, cacheRead: 200, output: 50, source: 'gateway', currency: 'USD' },
    )
  assert.equal(booked.length, 2 * answers.length)
  // Opus 4.5: 800 at 5, 200 at 0.5 and 50 at 25 dollars a million.
  assert.ok(Math.abs(booked[0]!.amount - 0.00535) < 1e-9)
  assert.equal(
    gateway.spentMicros,
    booked.reduce((sum, { amount }) => sum + Math.ceil(amount * 1e6), 0),
  )
})

test("the runner's key goes to the model and the agent's placeholder does not", async () => {
  const { ask, asked } = await setUp()
  for (const { api, path } of answers) await (await ask(api, path, {}, '?key=placeholder')).text()
  assert.deepEqual(
    asked.map(({ headers }) => headers['x-api-key'] ?? headers.authorization ?? headers['x-goog-api-key']),
    ['real-a', 'Bearer real-o', 'Bearer real-o', 'real-g'],
  )
  assert.ok(!JSON.stringify(asked).includes('placeholder'))
})

test('a chat stream is asked to say what it used', async () => {
  const { ask, asked } = await setUp()
  await (await ask('openai', '/v1/chat/completions', { stream: true })).text()
  assert.deepEqual(JSON.parse(asked[0]!.body).stream_options, { include_usage: true })
})

test('when what is left does not cover a call it is refused with 402, and nothing reaches the model', async () => {
  const { ask, asked, gateway } = await setUp({ usdMicros: 40_000 })
  let answered = await ask('anthropic', '/v1/messages')
  while (answered.status === 200) answered = await ask('anthropic', '/v1/messages')
  assert.equal(answered.status, 402)
  assert.match(JSON.stringify(await answered.json()), /billing_error.*used up/)
  assert.ok(gateway.isExhausted)
  // Each is reserved with 1,000 tokens of output and uses 50: what was not used could be spent again.
  assert.equal(gateway.spentMicros, asked.length * 5_351)
  const lengths = asked.map(({ body }) => JSON.parse(body).max_tokens)
  assert.equal(lengths[0], 1_000)
  assert.ok(lengths.at(-1) < 1_000 && lengths.at(-1) >= 256, 'the last answers were to be shorter')
})

test('a file that could hold more than the budget covers is refused, and the run goes on without it', async () => {
  const { ask, asked, gateway } = await setUp({ usdMicros: 100_000 })
  const source = { type: 'base64', media_type: 'application/pdf', data: 'aGVsbG8=' }
  const file = { messages: [{ role: 'user', content: [{ type: 'document', source }] }] }
  assert.equal((await ask('anthropic', '/v1/messages', file)).status, 402)
  assert.equal(asked.length, 0)
  assert.equal(gateway.isExhausted, false)
  assert.equal((await ask('anthropic', '/v1/messages')).status, 200)
})

test('a field that is not let through is named in the words of the provider, with and without a budget', async () => {
  for (const usdMicros of [null, 100_000]) {
    const { ask, asked, booked } = await setUp({ usdMicros })
    const answered = await ask('openai', '/v1/responses', { background: true })
    assert.equal(answered.status, 400)
    const { error } = (await answered.json()) as { error: { type: string; param: string; message: string } }
    assert.deepEqual([error.type, error.param], ['invalid_request_error', 'background'])
    assert.match(error.message, /^background: true is not allowed/)
    const counting = await ask('anthropic', '/v1/messages/count_tokens', {
      model: 'claude-opus-4-5',
      mcp_servers: [{ type: 'url', url: 'https://example.com' }],
    })
    assert.equal(counting.status, 400)
    assert.deepEqual([asked, booked], [[], []])
  }
})

test('what the gateway does not know is not let through: it could cost what no one counts', async () => {
  const { ask, asked } = await setUp()
  for (const [api, path] of [
    ['openai', '/v1/images/generations'],
    ['openai', '/v1/batches'],
    ['anthropic', '/v1/messages/batches'],
    ['anthropic', '/v1/files'],
    ['google', '/v1beta/cachedContents'],
    ['google', '/v1beta/models/gemini-2.5-pro:batchGenerateContent'],
  ] as const)
    assert.equal((await ask(api, path)).status, 403, path)
  assert.equal(asked.length, 0)
})

test('an API without a key is not reached', async () => {
  const { ask } = await setUp({ upstreams: {} })
  assert.equal((await ask('anthropic', '/v1/messages')).status, 403)
})

test('over loopback only requests with the secret path are let in', async () => {
  const { gateway } = await setUp()
  const { origin } = new URL(gateway.url)
  assert.equal((await fetch(`${origin}/v1/messages`, { method: 'POST' })).status, 404)
})

test('an answer that breaks off before it says what it used is booked as all that it could cost, and says so', async () => {
  const { ask, booked } = await setUp({}, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(
      `data: ${JSON.stringify({ type: 'message_start', message: { model: 'claude-opus-4-5', usage: { input_tokens: 5, output_tokens: 1 } } })}\n\n`,
    )
    setImmediate(() => response.destroy())
  })
  await assert.rejects(async () => (await ask('anthropic', '/v1/messages')).text())
  assert.equal(booked.length, 1)
  assert.equal(booked[0]!.output, 1_000)
  assert.match(booked[0]!.priceTable!, /upper bound/)
})

test('an error of the model is passed on with its Retry-After and costs nothing', async () => {
  const { ask, booked } = await setUp({}, (_, response) =>
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end('{"error":{}}'),
  )
  const busy = await ask('openai', '/v1/responses')
  assert.equal(busy.status, 429)
  assert.equal(busy.headers.get('retry-after'), '7')
  assert.deepEqual(booked, [])
})

test('a model that no table knows is counted as the dearest of its provider, and says so', () => {
  const usage = { input_tokens: 1_000_000 }
  const unknown = priceOf({ api: 'openai', models: ['no-such-model-9'] }, usage)!
  assert.equal(unknown.table, null)
  assert.ok(unknown.usd >= priceOf({ api: 'openai', models: ['gpt-5.5'] }, usage)!.usd)
  assert.equal(priceOf({ api: 'openai', models: ['gpt-5.5-moderation'] }, usage)!.table, null)
})

test("the operator's own table goes before the bundled one", () => {
  const own = [
    {
      id: 'openai',
      name: 'Ours',
      api_pattern: '.*',
      models: [
        { id: 'house-model', match: { equals: 'house-model' }, prices: { input_mtok: 2, output_mtok: 4 } },
      ],
    },
  ]
  const usage = { input_tokens: 1_000_000, output_tokens: 500_000 }
  assert.deepEqual(priceOf({ api: 'openai', models: ['house-model'], own }, usage), {
    usd: 4,
    table: 'MODEL_PRICES',
  })
})

test('what is kept for an hour in the cache of a provider costs what the provider bills for it', () => {
  const price = (usage: object) =>
    priceOf({ api: 'anthropic', models: ['claude-opus-4-5'] }, { input_tokens: 1_000_000, ...usage })!.usd
  assert.equal(price({ cache_write_tokens: 1_000_000 }), 6.25)
  assert.equal(price({ cache_write_tokens: 1_000_000, cache_write_1h_tokens: 1_000_000 }), 10)
})

test('keys and base addresses come from the environment, with or without the version in the address', () => {
  assert.deepEqual(
    upstreamsFrom({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/', GEMINI_API_KEY: '' }),
    { openai: { base: 'http://127.0.0.1:1', key: 'k' } },
  )
})

test('set-up reaches the registries it may and no one else', async () => {
  const registry = net.createServer((socket) => socket.end('packages'))
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as net.AddressInfo
  const proxy = await openConnectProxy({ allow: [`127.0.0.1:${port}`], folder })
  const through = async (host: string) => {
    const socket = net.connect(proxy.socket)
    socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    let heard = ''
    socket.on('error', () => {})
    for await (const chunk of socket) heard += chunk
    return heard
  }
  assert.match(await through(`127.0.0.1:${port}`), /200 Connection Established\r\n\r\npackages/)
  assert.match(await through(`127.0.0.1:${port + 1}`), /403/)
  assert.match(await through('metadata.internal:80'), /403/)
  assert.deepEqual(proxy.refused, ['127.0.0.1', 'metadata.internal'])
  await proxy.close()
  registry.close()
})
