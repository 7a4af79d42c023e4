import type http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Provider } from '@pydantic/genai-prices'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import type { Took } from '../orders/order-trace.ts'
import { type Api, apis, type Upstreams } from './apis.ts'
import { type Ask, parseModelCall } from './ask.ts'
import { type Bill, BillReader } from './bill.ts'
import { bodyOf, declaredBytes, mostBodyBytes, roomForBodies, TooLong } from './bodies.ts'
import { OrderBudget, type Reservation } from './budget.ts'
import { billedEntry, type Ledger, mostEntry, type Usage } from './entry.ts'
import type { Format } from './formats/format.ts'
import { NotAllowed } from './formats/inspect-request.ts'
import { passedOn, passedQuery } from './headers.ts'
import { KnownInput } from './known-input.ts'
import { type Most, mostPriceOf } from './prices.ts'
import { ask as askUpstream } from './upstream.ts'

export interface CallOptions {
  upstreams: Upstreams
  /** What may still be spent; null: only counted. */
  usdMicros: number | null
  ledger: Ledger
  prices?: readonly Provider[]
  modelTools?: readonly ModelTool[]
  /** Is told what each billed call took: from then, in milliseconds since 1970, until now. */
  took?: (call: Extract<Took, { type: 'model_call' }>, from: number) => void
  /** Called with sentences for the log. */
  note?: (line: string) => void
  /** A call that takes longer counts as lost. */
  longestCallMs?: number
  /** How long calls whose agent has gone may still go on once the gateway is closed. */
  closingMs?: number
}

/** How many billed calls may be open at once: each holds money that the others cannot have. */
const mostAtOnce = 4
/** An answer whose reader has gone is still read for its usage, up to here. */
const mostUnheardBytes = 64_000_000
/** A body that takes longer to arrive holds up others. */
const longestBodyMs = 60_000

/** The calls of one order. */
export class Calls {
  readonly #options: CallOptions
  readonly #budget: OrderBudget
  readonly #known = new KnownInput()
  readonly #room = roomForBodies()
  readonly #underWay = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  isExhausted = false

  constructor(options: CallOptions) {
    this.#options = options
    this.#budget = new OrderBudget(options.usdMicros, mostAtOnce)
  }

  get spentMicros(): number {
    return this.#budget.bookedMicros
  }

  /** Answers that are still arriving are awaited for a while, so that their usage is known. */
  async close(): Promise<void> {
    const settled = Promise.allSettled(this.#underWay)
    const late = new AbortController()
    const { closingMs = 30_000 } = this.#options
    await Promise.race([settled, delay(closingMs, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
    this.#closing.abort(new Error('the gateway was closed'))
    await settled
  }

  async answer(request: http.IncomingMessage, response: http.ServerResponse, url: string): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the agent closed the connection')))
    // Whatever someone writes as an address: only its path counts, and that goes to one of three places or nowhere.
    const { pathname, search } = URL.parse(url, 'http://gateway') ?? { pathname: '/', search: '' }
    const found = callOf(this.#options.upstreams, request, pathname)
    const call = (
      found
        ? this.#answer({ request, response, gone: gone.signal, pathname, search, ...found })
        : Promise.reject(
            new Refusal(403, `${request.method} ${pathname} is not a call that this runner allows.`),
          )
    ).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else refuse(response, found?.api ?? null, refusalOf(error))
    })
    this.#underWay.add(call)
    await call
    this.#underWay.delete(call)
  }

  async #answer(call: Call): Promise<void> {
    const { request, format, gone } = call
    if (!format) return this.#pass(call, null, () => {}, null)
    const { leave, keep } = await this.#room.enter(declaredBytes(request), gone)
    try {
      const ask = await this.#read(call, format, keep)
      const sent = () => {
        ask.sent()
        leave()
      }
      if (!call.billed) return await this.#pass(call, () => ask.body(null), sent, null)
      const granted = await this.#reserve(ask, gone)
      const from = Date.now()
      let bill: Bill | null = null
      const settle = (outcome: Outcome) => {
        if (typeof outcome === 'object') bill = outcome
        granted.settle(outcome)
      }
      try {
        await this.#pass(call, () => ask.body(granted.answer), sent, settle)
      } finally {
        this.#options.took?.(toldOf(call, ask, bill), from)
        // Whatever has happened: what was passed on and is not known to have cost less has cost all of it.
        granted.settle(unknown)
      }
    } finally {
      leave()
    }
  }

  async #read(
    { request, model, upstream, api, billed }: Call,
    format: Format,
    keep: (bytes: number) => void,
  ): Promise<Ask> {
    const late = setTimeout(() => request.destroy(), longestBodyMs)
    try {
      const body = await bodyOf(request)
      keep(body.length)
      return parseModelCall(body, {
        format,
        model,
        allowed: this.#options.modelTools ?? [],
        isOfficial: upstream.base === apis[api].usual,
        isBilled: billed,
        prices: this.#options.prices,
      })
    } finally {
      clearTimeout(late)
    }
  }

  /**
   * Waits until there is money for the call, shortens its answer where there is less, and says no where it is no use.
   */
  async #reserve(ask: Ask, gone: AbortSignal): Promise<Granted> {
    let answer = ask.wanted
    let most = ask.most(answer, this.#known)
    const micros = (tokens: number) => microsOf(mostPriceOf(ask.tariff, ask.most(tokens, this.#known)).usd)
    const reservation = await this.#budget.reserve((left, isAlone) => {
      answer = micros(ask.wanted) <= left || !isAlone ? ask.wanted : longest(ask, left, micros)
      most = ask.most(answer, this.#known)
      const wanted = micros(answer)
      return wanted <= left ? wanted : null
    }, gone)
    if (gone.aborted) reservation?.settle(0)
    gone.throwIfAborted()
    if (!reservation) {
      // Others may still fit where this one brings more than its bytes tell.
      this.isExhausted ||= !ask.bringsMore
      throw new Refusal(
        402,
        `The budget of this run is used up: ${dollars(this.#budget.leftMicros)} are left, and this call could cost ${dollars(micros(ask.least))}. Stop here.`,
      )
    }
    if (answer < ask.wanted)
      this.#note(`The budget leaves room for an answer of ${answer} tokens in place of ${ask.wanted}.`)
    return { answer, settle: this.#entered(ask, most, reservation) }
  }

  #entered(ask: Ask, most: Most, reservation: Reservation): Granted['settle'] {
    const bound = mostEntry(ask, most)
    let enter: ReturnType<Ledger>
    try {
      enter = this.#options.ledger(bound)
    } catch (error) {
      reservation.settle(0)
      throw new Refusal(503, `The call was not made: ${(error as Error).message}.`)
    }
    let isSettled = false
    return (outcome) => {
      if (isSettled) return
      isSettled = true
      const billed = typeof outcome === 'object' ? billedEntry(ask, outcome) : null
      if (billed && ask.spine) this.#known.learn(ask.spine, ask.counted(billed.input ?? 0))
      const cost = outcome === free ? null : (billed ?? bound)
      this.#settle(ask, reservation, cost)
      enter(cost)
    }
  }

  /** `body` null: nothing is asked. `settle` null: nothing is billed. The request is not kept once it is sent. */
  async #pass(
    call: Call,
    body: (() => Buffer[]) | null,
    onSent: () => void,
    settle: ((outcome: Outcome) => void) | null,
  ): Promise<void> {
    const { request, response, api, upstream, pathname, search, format, gone } = call
    const { longestCallMs = 1_800_000, modelTools = [] } = this.#options
    const answered = await askUpstream(`${upstream.base}${pathname}${passedQuery(search)}`, {
      method: request.method!,
      headers: {
        ...passedOn(request, modelTools),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...apis[api].keyHeader(upstream.key),
        'accept-encoding': 'identity',
        // A kept connection might be closed right now, and then it is unknown whether the call has begun.
        connection: 'close',
      },
      body: body?.() ?? null,
      onSent,
      // What is billed goes on when the agent has closed the connection: only its end says what it used.
      signal: AbortSignal.any([
        this.#closing.signal,
        AbortSignal.timeout(longestCallMs),
        ...(settle ? [] : [gone]),
      ]),
    }).catch((error) => {
      if (isUnsent(error)) settle?.(free)
      throw error
    })
    const status = answered.statusCode!
    call.status = status
    if (status >= 300 && status < 400) {
      settle?.(free)
      answered.destroy()
      throw new Error(`it answered with a redirect (${status})`)
    }
    const type = answered.headers['content-type'] ?? 'application/json'
    const reader = settle && status < 300 ? new BillReader(format!, type) : new ErrorReader()
    let isWhole = false
    try {
      await this.#hearOut(answered, response, gone, reader)
      isWhole = true
    } finally {
      if (reader instanceof BillReader) settle!(reader.read(isWhole) ?? unknown)
      else if (isUnbilled(status, reader.text)) settle?.(free)
    }
  }

  /** Streams an answer at the pace of its reader, and reads it to its end when the reader has gone. */
  async #hearOut(
    answered: http.IncomingMessage,
    response: http.ServerResponse,
    gone: AbortSignal,
    reader: { take(chunk: Buffer): void },
  ): Promise<void> {
    const after = answered.headers['retry-after']
    if (!gone.aborted)
      response.writeHead(answered.statusCode!, {
        'content-type': answered.headers['content-type'] ?? 'application/json',
        ...(after ? { 'retry-after': after } : {}),
      })
    let unheard = 0
    for await (const chunk of answered) {
      reader.take(chunk)
      if (gone.aborted) unheard += chunk.length
      else if (!response.write(chunk)) await drained(response, gone)
      if (unheard > mostUnheardBytes)
        throw new Error('it took too long after the agent had closed the connection')
    }
    response.end()
  }

  #settle(ask: Ask, reservation: Reservation, cost: Usage | null): void {
    const micros = cost ? microsOf(cost.amount) : 0
    if (micros > reservation.micros)
      this.#note(
        `${ask.model} was billed at ${dollars(micros)}, more than the ${dollars(reservation.micros)} that were reserved for the call.`,
      )
    reservation.settle(micros)
  }

  #note(line: string): void {
    this.#options.note?.(line)
  }
}

interface Call {
  request: http.IncomingMessage
  response: http.ServerResponse
  /** The agent has closed the connection. */
  gone: AbortSignal
  pathname: string
  search: string
  api: Api
  format: Format | null
  billed: boolean
  /** Where the path names it. */
  model: string | null
  upstream: { base: string; key: string }
  /** Of the provider's answer, once there is one. */
  status?: number
}

/** What a trace says of a call: names and numbers, and nothing of what was asked or answered. */
function toldOf(
  { api, status = null }: Pick<Call, 'api'> & { status?: number | null },
  ask: Ask,
  bill: Bill | null,
) {
  const { usage } = bill ?? {}
  const tokens = usage && {
    input: usage.input_tokens ?? 0,
    cacheRead: usage.cache_read_tokens ?? 0,
    cacheWrite: usage.cache_write_tokens ?? 0,
    output: usage.output_tokens ?? 0,
  }
  return {
    type: 'model_call' as const,
    provider: api,
    model: ask.model,
    answeredBy: bill?.model?.slice(0, 200) ?? null,
    tokens: tokens ?? null,
    status,
    failed: status === null || status >= 400,
  }
}

/** Nothing was used for certain, or it is unknown. */
const free = 'free'
const unknown = 'unknown'
type Outcome = Bill | typeof free | typeof unknown

interface Granted {
  /** How long the answer may be, in tokens. */
  answer: number
  /** The first time counts. */
  settle(outcome: Outcome): void
}

/** What the gateway answers in place of a provider. */
class Refusal extends Error {
  readonly status: number
  readonly field: string | null

  constructor(status: number, message: string, field: string | null = null) {
    super(message)
    this.status = status
    this.field = field
  }
}

function refusalOf(error: Error): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof NotAllowed) return new Refusal(400, error.message, error.field)
  if (error instanceof TooLong)
    return new Refusal(413, `The request is longer than ${mostBodyBytes / 1_000_000} MB.`)
  // Of a request that goes deeper than anything can follow.
  if (error instanceof RangeError) return new Refusal(400, 'The request cannot be read.')
  return new Refusal(502, `The model could not be reached: ${error.message}`)
}

function refuse(response: http.ServerResponse, api: Api | null, { status, message, field }: Refusal): void {
  const body = api ? apis[api].refusal(status, message, field) : { error: { message } }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Whose call it is: the paths of the three differ, but for the list of models. */
function callOf(upstreams: Upstreams, request: http.IncomingMessage, pathname: string) {
  const isAnthropic = 'anthropic-version' in request.headers
  const names = (Object.keys(upstreams) as Api[]).sort((a) => ((a === 'anthropic') === isAnthropic ? -1 : 1))
  for (const api of names)
    for (const { method, path, format, billed } of apis[api].calls) {
      const found = method === request.method ? path.exec(pathname) : null
      if (found) return { api, format, billed, model: found[1] ?? null, upstream: upstreams[api]! }
    }
  return null
}

/** The longest answer that the money covers, as far as it is of any use. */
function longest(ask: Ask, leftMicros: number, micros: (tokens: number) => number): number {
  let [fits, tooLong] = [ask.least, ask.wanted]
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (micros(middle) <= leftMicros) fits = middle
    else tooLong = middle
  }
  return fits
}

/** Keeps the beginning of an answer that says why there is none. */
class ErrorReader {
  text = ''

  take(chunk: Buffer): void {
    if (this.text.length < 10_000) this.text += chunk.toString('latin1')
  }
}

/** The request was read by no one. */
function isUnsent({ code = '' }: { code?: string }): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS|ERR_INVALID_URL|UNABLE_TO)/.test(
    code,
  )
}

/**
 * Whether it is certain that an answer without a result costs nothing. A provider that refuses has not begun; one that
 * failed may have, unless it says that it was too busy to.
 */
const isUnbilled = (status: number, text: string): boolean =>
  (status >= 400 && status < 500 && status !== 408 && status !== 499) ||
  ((status === 503 || status === 529) && /"overloaded_error"|"UNAVAILABLE"|overloaded|slow_down/.test(text))

const microsOf = (usd: number) => Math.ceil(usd * 1_000_000)

const dollars = (micros: number) => `${(micros / 1_000_000).toFixed(4)} USD`

/** Until the agent can take more, or has gone. */
function drained(response: http.ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      gone.removeEventListener('abort', done)
      resolve()
    }
    response.once('drain', done)
    gone.addEventListener('abort', done)
    if (gone.aborted) done()
  })
}
