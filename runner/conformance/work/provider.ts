import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Api = 'anthropic' | 'openai' | 'google'

/** A call as it came to the provider, with what it is billed. */
export interface Call {
  /** Which run was at work, counted from 0. */
  run: number
  path: string
  body: Record<string, unknown>
  text: string
  headers: IncomingMessage['headers']
  usd: number
}

/** List prices in dollars for a million tokens. What the kit's agents ask for is one of these. */
const prices: Record<Api, { model: string; input: number; output: number }> = {
  anthropic: { model: 'claude-sonnet-4-5', input: 3, output: 15 },
  openai: { model: 'gpt-5', input: 1.25, output: 10 },
  google: { model: 'gemini-2.5-flash', input: 0.3, output: 2.5 },
}

/**
 * A model provider: it notes every call and bills it the moment it has come, with all the output that was asked
 * for, whether or not anyone waits for the answer.
 */
export class FakeProvider {
  readonly calls: Call[] = []
  /** Which run is at work. */
  run = 0
  readonly #http = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy())
  })

  async open(): Promise<void> {
    this.#http.listen(0, '127.0.0.1')
    await once(this.#http, 'listening')
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  /** In dollars, of one run. */
  billed(run: number): number {
    return this.calls.filter((call) => call.run === run).reduce((sum, { usd }) => sum + usd, 0)
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { run } = this
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const path = request.url ?? '/'
    const api = apiOf(path)
    const body = parsed(text)
    const used = { input: Math.ceil(text.length / 4), output: outputOf(body) }
    const billed = request.method === 'POST' && !/count_?tokens/i.test(path)
    const { input, output } = prices[api]
    const usd = billed ? (used.input * input + used.output * output) / 1_000_000 : 0
    this.calls.push({ run, path, body, text, headers: request.headers, usd })
    // Long enough for a client to hang up before the answer.
    await sleep(String(text).includes('kit: slowly') ? 700 : 20)
    const isStream = body.stream === true || /:stream/.test(path)
    if (!isStream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(whole(api, path, used)))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [data, ms] of streamed(api, path, used)) {
      response.write(
        `${typeof data === 'object' && 'type' in data ? `event: ${data.type}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      )
      await sleep(ms)
    }
    response.end()
  }
}

type Used = { input: number; output: number }

const apiOf = (path: string): Api =>
  /\/models\/[^/]+:/.test(path) ? 'google' : /\/messages/.test(path) ? 'anthropic' : 'openai'

/** As much as was asked for, for each answer that was asked for. */
function outputOf(body: Record<string, unknown>): number {
  const config = (body.generationConfig ?? {}) as Record<string, unknown>
  const most = [
    body.max_tokens,
    body.max_completion_tokens,
    body.max_output_tokens,
    config.maxOutputTokens,
  ].map(Number)
  const answers = Math.max(1, Number(body.n) || 1, Number(config.candidateCount) || 1)
  return answers * (Math.max(0, ...most.filter((number) => number > 0)) || 1_000)
}

const said = 'Words.'

function whole(api: Api, path: string, { input, output }: Used): object {
  const { model } = prices[api]
  if (api === 'anthropic')
    return {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn' },
      content: [{ type: 'text', text: said }],
      usage: { input_tokens: input, output_tokens: output },
    }
  if (api === 'google')
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: said }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
      },
      modelVersion: model,
    }
  if (path.includes('/responses'))
    return {
      ...{ id: 'resp_1', object: 'response', model, status: 'completed' },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }],
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    }
  return {
    ...{ id: 'chat_1', object: 'chat.completion', model },
    choices: [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }
}

/** Pieces, each with how long it takes until the next. What was used comes last, a while after the last word. */
function* streamed(api: Api, path: string, used: Used): Generator<[data: object | string, ms: number]> {
  const all = whole(api, path, used) as Record<string, unknown>
  const words = [...Array(5)].map((_, at) => (at === 4 ? 'the last word' : `word ${at} `))
  if (api === 'anthropic') {
    const usage = { input_tokens: used.input, output_tokens: 1 }
    yield [{ type: 'message_start', message: { ...all, content: [], usage } }, 20]
    yield [{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 20]
    for (const text of words)
      yield [
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        text === 'the last word' ? 600 : 60,
      ]
    yield [{ type: 'content_block_stop', index: 0 }, 5]
    yield [
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: used.output } },
      5,
    ]
    yield [{ type: 'message_stop' }, 0]
    return
  }
  if (api === 'google') {
    for (const text of words)
      yield [{ candidates: [{ content: { parts: [{ text }] } }] }, text === 'the last word' ? 600 : 60]
    yield [all, 0]
    return
  }
  if (path.includes('/responses')) {
    for (const delta of words)
      yield [{ type: 'response.output_text.delta', delta }, delta === 'the last word' ? 600 : 60]
    yield [{ type: 'response.completed', response: all }, 0]
    return
  }
  const chunk = { id: 'chat_1', object: 'chat.completion.chunk', model: all.model }
  for (const content of words)
    yield [{ ...chunk, choices: [{ index: 0, delta: { content } }] }, content === 'the last word' ? 600 : 60]
  yield [{ ...chunk, choices: [], usage: all.usage }, 5]
  yield ['[DONE]', 0]
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
