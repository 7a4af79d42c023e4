import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import type { Provider } from '@pydantic/genai-prices'
import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { type Api, apis, type Upstreams } from './apis.ts'
import { type Bill, BillReader } from './bill.ts'
import { priceOf } from './prices.ts'

export type Usage = Extract<RunnerEvent, { type: 'usage' }>

/** A way to a model for one order: no key on the agent's side, every call counted, none after the money is used up. */
export interface Gateway {
  /** Unix socket to be bound into the box. */
  readonly socket: string
  /** The same over loopback, where there is no box to bind a socket into. Whoever does not know it is not let in. */
  readonly url: string
  /** What has been booked so far, in millionths of a US dollar. */
  readonly spentMicros: number
  /** Whether a call was refused because the reservation is used up. */
  readonly isExhausted: boolean
  close(): Promise<void>
}

export interface GatewayOptions {
  upstreams: Upstreams
  /** What may still be spent; null: only counted. */
  usdMicros: number | null
  /** Hears of each call that cost something, in order. */
  onUsage: (usage: Usage) => void
  /** For the socket, outside of what the agent can write. */
  folder: string
  prices?: readonly Provider[]
}

const mostRequestBytes = 64_000_000
/** A call that takes longer counts as lost. */
const longestCallMs = 1_800_000

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const calls = new Calls(options)
  const token = randomBytes(24).toString('base64url')
  // A socket's address is short by law of the system; the folder keeps others out.
  const folder = await mkdtemp(path.join(options.folder, 'g-'))
  const socket = path.join(folder, 'model.sock')
  const boxed = http.createServer(
    (request, response) => void calls.answer(request, response, request.url ?? '/'),
  )
  const open = http.createServer((request, response) => {
    const rest = afterToken(request.url ?? '/', token)
    if (rest === null) refuse(response, 404, { error: { message: 'Not found.' } })
    else void calls.answer(request, response, rest)
  })
  boxed.listen(socket)
  open.listen(0, '127.0.0.1')
  await Promise.all([once(boxed, 'listening'), once(open, 'listening')])
  const { port } = open.address() as { port: number }
  return {
    socket,
    url: `http://127.0.0.1:${port}/${token}`,
    get spentMicros() {
      return calls.spentMicros
    },
    get isExhausted() {
      return calls.isExhausted
    },
    async close() {
      for (const server of [boxed, open]) {
        server.close()
        server.closeAllConnections()
      }
      await calls.settled()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function afterToken(url: string, token: string): string | null {
  const [, given = '', ...rest] = url.split('/')
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b) ? `/${rest.join('/')}` : null
}

/** What is passed on of an agent's request. Its key is a placeholder, and who it is concerns nobody. */
const passedOn = [
  'accept',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  'openai-beta',
  'user-agent',
]

class Calls {
  readonly #options: GatewayOptions
  readonly #underWay = new Set<Promise<void>>()
  spentMicros = 0
  isExhausted = false

  constructor(options: GatewayOptions) {
    this.#options = options
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  async answer(request: http.IncomingMessage, response: http.ServerResponse, url: string): Promise<void> {
    const call = this.#answer(request, response, url).catch((error: Error) => {
      if (!response.headersSent)
        refuse(response, 502, { error: { message: `The model could not be reached: ${error.message}` } })
      else response.destroy()
    })
    this.#underWay.add(call)
    await call
    this.#underWay.delete(call)
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse, url: string): Promise<void> {
    const { pathname: path, search } = new URL(url, 'http://gateway')
    const found = callOf(this.#options.upstreams, request, path)
    if (!found) {
      refuse(response, 403, {
        error: { message: `${request.method} ${path} is not a call that this runner lets through.` },
      })
      return
    }
    const { api, known, call, upstream } = found
    const cap = this.#options.usdMicros
    if (call.billed && cap !== null && this.spentMicros >= cap) {
      this.isExhausted = true
      refuse(response, 402, known.refusal('The budget of this run is used up. Stop here.'))
      return
    }
    const body = await bodyOf(request)
    const abort = new AbortController()
    response.once('close', () => abort.abort())
    const answered = await fetch(`${upstream.base}${path}${withoutKey(search)}`, {
      method: request.method!,
      headers: { ...headersOf(request), ...known.keyHeader(upstream.key), 'accept-encoding': 'identity' },
      ...(body.length > 0 ? { body: counting(api, path, body) } : {}),
      redirect: 'error',
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(longestCallMs)]),
    })
    const type = answered.headers.get('content-type') ?? 'application/json'
    const after = answered.headers.get('retry-after')
    response.writeHead(answered.status, { 'content-type': type, ...(after ? { 'retry-after': after } : {}) })
    const reader = new BillReader(api, type)
    try {
      for await (const chunk of answered.body ?? []) {
        reader.take(chunk)
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    } finally {
      // Also when the agent has hung up in the middle: what was used is used.
      if (call.billed && answered.ok) this.#book(api, reader.read() ?? guessed(body, reader.bytes))
    }
    response.end()
  }

  #book(api: Api, bill: Bill): void {
    const { usd, table } = priceOf(api, bill, this.#options.prices)
    this.spentMicros += Math.ceil(usd * 1_000_000)
    this.#options.onUsage({
      type: 'usage',
      amount: usd,
      currency: 'USD',
      source: 'gateway',
      provider: api,
      priceTable: table,
      ...bill,
    })
  }
}

/** Whose call it is: the paths of the three differ, but for the list of models. */
function callOf(upstreams: Upstreams, request: http.IncomingMessage, path: string) {
  const isAnthropic = 'anthropic-version' in request.headers
  const names = (Object.keys(upstreams) as Api[]).sort((a) => ((a === 'anthropic') === isAnthropic ? -1 : 1))
  for (const api of names) {
    const known = apis[api]
    const call = known.calls.find(
      ({ method, path: pattern }) => method === request.method && pattern.test(path),
    )
    if (call) return { api, known, call, upstream: upstreams[api]! }
  }
  return null
}

/** The answer broke off before it said: about four letters to a token. */
const guessed = (body: Buffer, answered: number): Bill => ({
  model: (/"model"\s*:\s*"([^"]{1,200})"/.exec(body.toString('utf8')) ?? [])[1] ?? 'unknown',
  input: Math.ceil(body.length / 4),
  cacheRead: 0,
  cacheWrite: 0,
  output: Math.ceil(answered / 4),
})

async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostRequestBytes) throw new Error('the request is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** OpenAI's chat streams say what they used only when they are asked to. */
function counting(api: Api, path: string, body: Buffer): Buffer {
  if (api !== 'openai' || !path.endsWith('/chat/completions')) return body
  try {
    const asked = JSON.parse(body.toString('utf8'))
    if (!asked.stream) return body
    return Buffer.from(
      JSON.stringify({ ...asked, stream_options: { ...asked.stream_options, include_usage: true } }),
    )
  } catch {
    return body
  }
}

const headersOf = (request: http.IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

function withoutKey(search: string): string {
  const wanted = new URLSearchParams(search)
  wanted.delete('key')
  const text = wanted.toString()
  return text ? `?${text}` : ''
}

function refuse(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
