import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { ledgerInto } from '../test/ledger.ts'
import { type Gateway, type GatewayOptions, openGateway, type Usage } from './gateway.ts'
import { priceOf } from './prices.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-budget-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** How a provider behaves in one call, and how its caller does. */
interface Plan {
  format: 'messages' | 'chat' | 'responses' | 'content'
  /** Letters of the prompt. */
  prompt: number
  /** What is asked for; null: nothing. */
  most: number | null
  /** Of what may be answered at most, how much is. */
  share: number
  isStreamed: boolean
  provider:
    | 'answers'
    | 'breaks off'
    | 'breaks off at the end'
    | 'says no usage'
    | 'refuses'
    | 'fails'
    | 'drops the call'
    | 'is overloaded'
  /** When the caller closes the connection. */
  hangsUp: 'never' | 'at once' | 'before the headers' | 'in the middle' | 'after the last word'
  /** How many other steps are taken before the provider goes on: an order of events, not a time. */
  waits: [number, number]
}

const model = {
  messages: 'claude-opus-4-5',
  chat: 'gpt-5.5',
  responses: 'gpt-5.5',
  content: 'gemini-2.5-pro',
}

/**
 * A provider that bills what it was asked for: every letter of the prompt is a token, which no tokenizer does worse,
 * and answers up to the maximum that it was given. It writes down what it would put on its bill the moment it begins.
 */
async function startProvider() {
  const billed: number[] = []
  /** Called when a request of that id has arrived; its caller may want to hang up just then. */
  const arrived = new Map<number, () => Promise<unknown>>()
  /** Lets others go first, a number of times. */
  const others = async (times: number) => {
    for (let at = 0; at < times; at++) await new Promise((resolve) => setImmediate(resolve))
  }
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    const { id, ...plan }: Plan & { id: number } = JSON.parse(planIn(body))
    await arrived.get(id)?.()
    await others(plan.waits[0])
    await answer(plan, body, response)
  })

  async function answer(plan: Plan, body: Record<string, never>, response: http.ServerResponse) {
    if (plan.provider === 'refuses') return void respond(response, 400, { error: { message: 'no' } })
    if (plan.provider === 'is overloaded')
      return void respond(response, 529, { type: 'error', error: { type: 'overloaded_error' } })
    const most = mostIn(body)
    assert.ok(Number.isSafeInteger(most) && most > 0, 'the provider is always told a maximum')
    const output = Math.max(1, Math.floor(most * plan.share))
    const input = plan.prompt + 100
    billed.push(
      priceOf(
        { api: apiOf(plan), models: [model[plan.format]] },
        { input_tokens: input, output_tokens: output },
      )!.usd,
    )
    if (plan.provider === 'drops the call') return void response.destroy()
    if (plan.provider === 'fails') return void respond(response, 500, { error: { message: 'sorry' } })
    const { opening, words, ending } = said(plan, input, output)
    response.writeHead(200, { 'content-type': plan.isStreamed ? 'text/event-stream' : 'application/json' })
    response.on('error', () => {})
    response.write(opening)
    await others(plan.waits[1])
    if (plan.provider === 'breaks off') return void response.destroy()
    response.write(words)
    await others(plan.waits[1])
    if (plan.provider === 'breaks off at the end') return void response.destroy()
    response.end(plan.provider === 'says no usage' ? '\n' : ending)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    billed,
    arrived,
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const respond = (response: http.ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const apiOf = ({ format }: Plan) =>
  format === 'messages' ? 'anthropic' : format === 'content' ? 'google' : 'openai'

const planIn = (body: Record<string, never>): string => {
  const text = JSON.stringify(body)
  const [, quoted] = /PLAN(.*?)NALP/s.exec(text)!
  return JSON.parse(`"${quoted}"`)
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a request is, one of these is in it.
const mostIn = (body: any): number =>
  body.max_tokens ??
  body.max_completion_tokens ??
  body.max_output_tokens ??
  body.generationConfig?.maxOutputTokens

function said({ format, isStreamed }: Plan, input: number, output: number) {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
  const name = model[format]
  if (format === 'messages') {
    const usage = { input_tokens: input, output_tokens: output }
    if (!isStreamed) return whole({ model: name, usage })
    return {
      opening: event({
        type: 'message_start',
        message: { model: name, usage: { ...usage, output_tokens: 1 } },
      }),
      words: event({ type: 'content_block_delta', delta: { text: 'word' } }),
      ending:
        event({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { output_tokens: output },
        }) + event({ type: 'message_stop' }),
    }
  }
  if (format === 'chat') {
    const usage = { prompt_tokens: input, completion_tokens: output }
    if (!isStreamed) return whole({ model: name, usage })
    return {
      opening: event({ model: name, choices: [{ delta: { role: 'assistant' } }], usage: null }),
      words: event({ model: name, choices: [{ delta: { content: 'word' }, finish_reason: 'stop' }] }),
      ending: `${event({ model: name, choices: [], usage })}data: [DONE]\n\n`,
    }
  }
  if (format === 'responses') {
    const response = { model: name, output: [], usage: { input_tokens: input, output_tokens: output } }
    if (!isStreamed) return whole(response)
    return {
      opening: event({
        type: 'response.created',
        response: { ...response, status: 'in_progress', usage: null },
      }),
      words: event({ type: 'response.output_text.delta', delta: 'word' }),
      ending: event({ type: 'response.completed', response: { ...response, status: 'completed' } }),
    }
  }
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output }
  if (!isStreamed) return whole({ modelVersion: name, usageMetadata })
  return {
    opening: event({ candidates: [], usageMetadata: { promptTokenCount: input }, modelVersion: name }),
    words: event({ candidates: [{ content: { parts: [{ text: 'word' }] } }] }),
    ending: event({ candidates: [{ finishReason: 'STOP' }], usageMetadata, modelVersion: name }),
  }
}

function whole(body: object) {
  const text = JSON.stringify({ words: 'word '.repeat(100), ...body })
  return { opening: text.slice(0, 20), words: text.slice(20, 80), ending: text.slice(80) }
}

/** The request of a plan: it carries the plan to the provider. */
function request(plan: Plan & { id: number }): { path: string; body: object } {
  const text = `PLAN${JSON.stringify(plan)}NALP`.padEnd(plan.prompt, 'x')
  const { format, most, isStreamed } = plan
  const limit = (name: string) => (most === null ? {} : { [name]: most })
  const stream = isStreamed ? { stream: true } : {}
  const messages = [{ role: 'user', content: text }]
  if (format === 'messages')
    return {
      path: '/v1/messages',
      body: { model: model.messages, messages, ...stream, ...limit('max_tokens') },
    }
  if (format === 'chat')
    return {
      path: '/v1/chat/completions',
      body: { model: model.chat, messages, ...stream, ...limit('max_tokens') },
    }
  if (format === 'responses')
    return {
      path: '/v1/responses',
      body: { model: model.responses, input: text, ...stream, ...limit('max_output_tokens') },
    }
  return {
    path: `/v1beta/models/${model.content}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: limit('maxOutputTokens'),
    },
  }
}

type Provider = Awaited<ReturnType<typeof startProvider>>

/** Makes one call and closes the connection when its plan says so. The status; null: it never came. */
function call(gateway: Gateway, plan: Plan, { arrived }: Pick<Provider, 'arrived'>): Promise<number | null> {
  const id = ++calls
  const { path, body } = request({ ...plan, id })
  return new Promise((resolve) => {
    let status: number | null = null
    const made = http.request(`${gateway.url}${path}`, { method: 'POST' }, (response) => {
      let heard = ''
      status = response.statusCode!
      response.on('data', (chunk) => {
        heard += chunk
        const isMiddle = plan.hangsUp === 'in the middle'
        const isLast = plan.hangsUp === 'after the last word' && heard.includes('word')
        if (isMiddle || isLast) made.destroy()
      })
      response.once('error', () => {})
    })
    made.once('error', () => {})
    made.once('close', () => resolve(status))
    made.end(JSON.stringify(body))
    // How far the request has come by then is one of the things that differ from run to run.
    if (plan.hangsUp === 'at once') setImmediate(() => made.destroy())
    if (plan.hangsUp === 'before the headers')
      arrived.set(id, () => {
        const closed = new Promise((done) => made.once('close', done))
        made.destroy()
        return closed
      })
  })
}

let calls = 0

async function play(
  usdMicros: number,
  plans: Plan[],
  options: Partial<GatewayOptions> = {},
): Promise<{ billed: number[]; booked: Usage[]; spentMicros: number; statuses: (number | null)[] }> {
  const provider = await startProvider()
  const booked: Usage[] = []
  const upstream = { base: provider.url, key: 'k' }
  const gateway = await openGateway({
    upstreams: { anthropic: upstream, openai: upstream, google: upstream },
    usdMicros,
    ledger: ledgerInto(booked),
    folder,
    ...options,
  })
  try {
    const statuses = await Promise.all(plans.map((plan) => call(gateway, plan, provider)))
    await gateway.close()
    return { billed: provider.billed, booked, spentMicros: gateway.spentMicros, statuses }
  } finally {
    await provider.stop()
  }
}

const sum = (amounts: number[]) => amounts.reduce((total, each) => total + each, 0)

const plan: fc.Arbitrary<Plan> = fc.record({
  format: fc.constantFrom('messages', 'chat', 'responses', 'content'),
  prompt: fc.integer({ min: 400, max: 20_000 }),
  most: fc.option(fc.integer({ min: 1, max: 30_000 }), { nil: null }),
  share: fc.constantFrom(0, 0.2, 1),
  isStreamed: fc.boolean(),
  provider: fc.oneof(
    { weight: 4, arbitrary: fc.constant('answers' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'breaks off',
        'breaks off at the end',
        'says no usage',
        'refuses',
        'fails',
        'drops the call',
        'is overloaded',
      ),
    },
  ),
  hangsUp: fc.constantFrom('never', 'at once', 'before the headers', 'in the middle', 'after the last word'),
  waits: fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 })),
})

test('whatever happens at once, what reaches providers never costs more than the budget, and all of it is booked', async () => {
  let [reached, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.array(plan, { minLength: 1, maxLength: 12 }),
      async (usdMicros, plans) => {
        const { billed, booked, spentMicros, statuses } = await play(usdMicros, plans)
        const bill = sum(billed)
        assert.ok(bill * 1_000_000 <= usdMicros, `${bill} reached the provider of ${usdMicros} micros`)
        const told = sum(booked.map(({ amount }) => amount))
        assert.ok(told >= bill - 1e-9, `${told} was booked of ${bill}`)
        assert.ok(
          told * 1_000_000 <= usdMicros + 1e-3,
          `${told} was booked of a budget of ${usdMicros} micros`,
        )
        assert.equal(spentMicros, sum(booked.map(({ amount }) => Math.ceil(amount * 1_000_000))))
        reached += billed.length
        refused += statuses.filter((status) => status === 402).length
      },
    ),
    { numRuns: process.env.FAULTS ? 2_000 : 60 },
  )
  assert.ok(reached > 20 && refused > 5, `too few of both to prove anything: ${reached} and ${refused}`)
})

const usual: Plan = {
  ...{ format: 'messages', prompt: 1_000, most: 20_000, share: 1, isStreamed: true },
  ...{ provider: 'answers', hangsUp: 'never', waits: [0, 2] },
}

test('sixty calls at once reach the provider with no more than the budget', async () => {
  const plans = Array.from({ length: 60 }, () => usual)
  const { billed, booked, statuses } = await play(1_000_000, plans)
  assert.ok(sum(billed) <= 1 && sum(billed) > 0.9, `${sum(billed)} of 1.00 was used`)
  assert.ok(sum(booked.map(({ amount }) => amount)) >= sum(billed))
  assert.equal(statuses.filter((status) => status === 402).length, 60 - billed.length)
})

for (const hangsUp of ['before the headers', 'in the middle', 'after the last word'] as const)
  test(`a call that is hung up ${hangsUp} is booked as the provider bills it`, async () => {
    const plans = Array.from({ length: 8 }, () => ({ ...usual, hangsUp, most: 2_000 }))
    const { billed, booked } = await play(1_000_000, plans)
    assert.equal(booked.length, billed.length)
    assert.ok(Math.abs(sum(booked.map(({ amount }) => amount)) - sum(billed)) < 1e-9)
    assert.equal(billed.length, 8)
    for (const { priceTable } of booked) assert.doesNotMatch(priceTable!, /upper bound/)
  })

test('an answer that no one hears is not waited for without an end once the order is over', async () => {
  const silent = http.createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const booked: Usage[] = []
  const base = `http://127.0.0.1:${(silent.address() as net.AddressInfo).port}`
  const gateway = await openGateway({
    upstreams: { anthropic: { base, key: 'k' } },
    ...{ usdMicros: 1_000_000, folder, closingMs: 1, ledger: ledgerInto(booked) },
  })
  await call(gateway, { ...usual, hangsUp: 'in the middle' }, { arrived: new Map() })
  await gateway.close()
  assert.match(booked[0]!.priceTable!, /upper bound/)
  assert.equal(booked[0]!.output, 20_000)
  silent.closeAllConnections()
  silent.close()
})

test('what fails for certain before anything was made costs nothing, and what may have been made costs all of it', async () => {
  const outcome = async (provider: Plan['provider']) =>
    (await play(10_000_000, [{ ...usual, provider }])).booked.map(({ output }) => output)
  assert.deepEqual(await outcome('refuses'), [])
  assert.deepEqual(await outcome('is overloaded'), [])
  assert.deepEqual(await outcome('fails'), [20_000])
  assert.deepEqual(await outcome('drops the call'), [20_000])
  assert.deepEqual(await outcome('says no usage'), [20_000])
})

test('no one at the address of the provider costs nothing', async () => {
  const closed = net.createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const gone = { base: `http://127.0.0.1:${(closed.address() as net.AddressInfo).port}`, key: 'k' }
  closed.close()
  await once(closed, 'close')
  const { booked, statuses } = await play(1_000_000, [usual], { upstreams: { anthropic: gone } })
  assert.deepEqual([booked, statuses], [[], [502]])
})
