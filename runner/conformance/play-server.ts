import { createHash, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { hashOfToken, isSignedEnrolment } from '@signalbox/contract/runner/enrolment.ts'
import {
  Acquire,
  Beat,
  type Beaten,
  Challenge,
  CredentialAsk,
  Log,
  limits,
  type Order,
  protocolVersion,
  Register,
  Reports,
  type RunnerEvent,
} from '@signalbox/contract/runner/messages.ts'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { CallName, Fault, OrderSketch, Scenario } from './scenario.ts'
import { sketched } from './sketched-order.ts'

/** A call as it came. */
export interface Recorded {
  call: CallName
  order: PlayedOrder | null
  headers: IncomingMessage['headers']
  message: unknown
  /** Null: it got no answer. */
  status: number | null
}

export interface PlayedOrder {
  order: Order
  state: 'offered' | 'taken' | 'ended'
  ask: string | null
  isOutdated: boolean
  stop: 'cancel' | 'abort' | null
  reports: Map<number, RunnerEvent>
  log: Map<number, string[]>
  files: Map<string, Buffer>
}

export interface PlayServerOptions
  extends Pick<Scenario, 'orders' | 'faults' | 'serverAlsoSays' | 'clockSeconds'> {
  token: string
  pace: number
  /** Whether another process may stand for the same runner while the first one lives. */
  refusesSecondSession?: boolean
}

const messages: Partial<Record<CallName, TSchema>> = {
  challenge: Challenge,
  register: Register,
  acquire: Acquire,
  beat: Beat,
  reports: Reports,
  log: Log,
  credential: CredentialAsk,
}

const intervals = { pollSeconds: 30, beatSeconds: 15, leaseSeconds: 60 }

class Answered {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>

  constructor(status: number, body: unknown = null, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

const refusal = (status: number, code: string, message: string, more = {}, headers = {}) =>
  new Answered(status, { error: { code, message }, ...more }, headers)

/** A server that keeps to the protocol, has no database, and can be told what to do wrong. */
export class PlayServer {
  readonly #options: PlayServerOptions
  readonly recorded: Recorded[] = []
  readonly orders: PlayedOrder[]
  readonly violations: string[] = []
  readonly events = new EventEmitter()
  commands: Beaten['commands'] = []
  isRevoked = false
  #isHealed = false
  #http: Server | null = null
  #port = 0
  readonly #sessions = new Map<string, { boot: string; session: number; seenAt: number; runner: string }>()
  /** The challenge that an instance is to sign, with its start; and the key that an instance belongs to. */
  readonly #challenges = new Map<string, { boot: string; challenge: string }>()
  readonly #keys = new Map<string, string>()
  #lastSession = 0

  constructor(options: PlayServerOptions) {
    this.#options = options
    this.orders = (options.orders ?? []).map((sketch, at) => played(sketch, at))
    this.events.setMaxListeners(0)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Also after `goAway`: at the same address. */
  async listen(): Promise<void> {
    this.#http = createServer((request, response) => {
      this.#serve(request, response).catch((error) => {
        this.violations.push(`a call could not be understood: ${error.message}`)
        response.destroy()
      })
    })
    this.#http.listen(this.#port, '127.0.0.1')
    await once(this.#http, 'listening')
    this.#port = (this.#http.address() as AddressInfo).port
  }

  async goAway(): Promise<void> {
    const http = this.#http
    this.#http = null
    http?.closeAllConnections()
    if (http) await new Promise((resolve) => http.close(resolve))
  }

  offer(sketch: OrderSketch): PlayedOrder {
    const order = played(sketch, this.orders.length)
    this.orders.push(order)
    this.events.emit('offered')
    return order
  }

  heal(): void {
    this.#isHealed = true
  }

  /** Waiters check again after whatever happens next. */
  wakePolls(): void {
    this.events.emit('offered')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const { call, order, sha256 } = this.#routed(request)
    if (!call) return send(response, refusal(404, 'not_found', 'There is no such path.'))
    const body = Buffer.concat(chunks)
    const recorded: Recorded = {
      call,
      order,
      headers: request.headers,
      message: messageOf(request, body),
      status: null,
    }
    this.recorded.push(recorded)
    const fault = this.#faultOf(call)
    try {
      if (fault?.does === 'close') return void request.socket.destroy()
      if (fault?.does === 'delay') await this.#wait(fault.seconds)
      if (fault?.does === 'refuse') return send(response, faulty(fault), recorded)
      if (fault?.does === 'answer as a proxy')
        return send(response, new Answered(fault.status, '<html>Sign in to the proxy</html>'), recorded)
      const answered = await this.#answer(recorded, { sha256, body, response })
      if (fault?.does === 'drop the answer') return void request.socket.destroy()
      if (fault?.does === 'answer garbage')
        return send(response, new Answered(200, '<html>Sign in to the hotel</html>'), recorded)
      if (fault?.does === 'trickle') return await trickle(response)
      send(response, answered, recorded)
    } finally {
      this.events.emit('called')
    }
  }

  #routed(request: IncomingMessage): { call: CallName | null; order: PlayedOrder | null; sha256: string } {
    const parts = (request.url ?? '').split('/').slice(1)
    const [, , word = '', run, fence, kind = '', sha256 = ''] = parts
    if (word !== 'orders') return { call: word as CallName, order: null, sha256 }
    const order = this.orders.find((played) => played.order.run === run && `${played.order.fence}` === fence)
    const fileCall = request.method === 'PUT' ? 'keep_file' : 'fetch_file'
    return { call: kind === 'files' ? fileCall : (kind as CallName), order: order ?? null, sha256 }
  }

  #faultOf(call: CallName): Fault | undefined {
    if (this.#isHealed) return undefined
    const same = this.recorded.filter((other) => other.call === call)
    const isBusy = ({ message }: Recorded) => ((message as Partial<Beat> | null)?.orders?.length ?? 0) > 0
    return this.#options.faults?.find(({ call: name, from = 1, times = 1, withOrders }) => {
      const counted = withOrders ? same.filter(isBusy) : same
      const isCounted = counted.at(-1) === same.at(-1)
      return name === call && isCounted && counted.length >= from && counted.length < from + times
    })
  }

  async #answer(
    { call, order, headers, message }: Recorded,
    { sha256, body, response }: { sha256: string; body: Buffer; response: ServerResponse },
  ): Promise<Answered> {
    if (headers.authorization !== `Bearer ${this.#options.token}`) return unauthorized
    if (this.isRevoked) return unauthorized
    const fault = this.#faultIn(call, message)
    if (fault) return refusal(400, 'invalid_request', fault)
    if (call === 'challenge') return this.#challenge(message as Challenge)
    if (call === 'register') return this.#register(message as Register)
    const known = [...this.#sessions.values()].find(
      ({ session }) => `${session}` === headers['signalbox-session'],
    )
    if (!known) return refusal(409, 'session_over', 'This session is over. Register again.')
    known.seenAt = performance.now()
    if (call === 'acquire') return this.#acquire(message as Acquire, response)
    if (call === 'beat') return this.#beat(message as Beat)
    if (call === 'leave') return this.#leave(known.session)
    if (!order || order.isOutdated || order.state === 'offered')
      return refusal(409, 'outdated', 'This order is no longer yours.', {
        verdict: 'stop',
        next: order ? order.reports.size + 1 : 1,
      })
    if (call === 'reports') return this.#receive(order, message as Reports)
    if (call === 'log') return this.#log(order, message as Log)
    if (call === 'keep_file') return keep(order, sha256, body)
    if (call === 'fetch_file') {
      // Of its own run: what another has kept is none of its business, even by its hash.
      const ofRun = this.orders.filter((other) => other.order.run === order.order.run)
      const file = ofRun.find(({ files }) => files.has(sha256))?.files.get(sha256)
      return file ? new Answered(200, file) : refusal(404, 'not_found', 'There is no such file.')
    }
    if (call === 'credential') return new Answered(200, wayInto(order.order))
    return refusal(404, 'not_found', 'There is no such path.')
  }

  /** What a runner sends must be of the contract; who breaks it is told, and it is remembered. */
  #faultIn(call: CallName, message: unknown): string | null {
    const schema = messages[call]
    if (!schema || Value.Check(schema, message)) return null
    const [fault] = Value.Errors(schema, message)
    const types = ((message as Partial<Reports>)?.reports ?? []).map(({ event }) => event?.type)
    const sentence = `${call} ${types.join(', ')} is not of the contract: ${fault?.instancePath} ${fault?.message}`
    this.violations.push(sentence)
    return sentence
  }

  #challenge({ instance, boot }: Challenge): Answered {
    const challenge = randomUUID()
    this.#challenges.set(instance, { boot, challenge })
    return new Answered(200, { challenge })
  }

  /** Null: it may come in, as the runner that it says it is. */
  #refusalOf({ instance, boot, evidenceKey, proof }: Register): Answered | null {
    if (!proof) return refusal(426, 'upgrade_required', 'This runner does not sign its registration.')
    const { challenge, signature } = proof
    const tokenHash = hashOfToken(this.#options.token)
    if (!isSignedEnrolment({ challenge, instance, boot, evidenceKey, tokenHash }, signature))
      return refusal(403, 'proof_refused', 'The key that it names has not signed it.')
    const asked = this.#challenges.get(instance)
    this.#challenges.delete(instance)
    if (asked?.challenge !== challenge || asked.boot !== boot)
      return refusal(409, 'challenge_over', 'This challenge is over. Ask for a new one.')
    const key = this.#keys.get(instance) ?? evidenceKey
    this.#keys.set(instance, key)
    return key === evidenceKey ? null : refusal(403, 'instance_taken', 'The instance has another key.')
  }

  #register(message: Register): Answered {
    const { instance, boot, holds, protocol } = message
    if (protocol.most < protocolVersion || protocol.least > protocolVersion)
      return refusal(426, 'upgrade_required', 'This server speaks another protocol.')
    const refused = this.#refusalOf(message)
    if (refused) return refused
    const before = this.#sessions.get(instance)
    const lives = before && performance.now() - before.seenAt < 45_000 * this.#options.pace
    if (this.#options.refusesSecondSession && lives && before.boot !== boot)
      return refusal(409, 'session_alive', 'The session before is still alive.', {}, { 'retry-after': '5' })
    this.#lastSession += 1
    const runner = before?.runner ?? randomUUID()
    this.#sessions.set(instance, { boot, session: this.#lastSession, seenAt: performance.now(), runner })
    for (const { run, fence, state } of holds) {
      const order = this.#find(run, fence)
      // A worker that is gone does not come back: the order goes to the next one, under another fence.
      if (order && state === 'lost') order.isOutdated = true
    }
    const now = new Date(Date.now() + (this.#options.clockSeconds ?? 0) * 1000)
    return new Answered(200, {
      runner,
      session: this.#lastSession,
      protocol: protocolVersion,
      features: [],
      serverTime: now.toISOString(),
      ...intervals,
      limits,
      holds: holds.map(({ run, fence }) => ({ run, fence, verdict: this.#verdictOn(run, fence).verdict })),
      notice: null,
      ...this.#options.serverAlsoSays,
    })
  }

  async #acquire({ ask, free }: Acquire, response: ServerResponse): Promise<Answered> {
    const late = performance.now() + intervals.pollSeconds * 1000 * this.#options.pace
    for (;;) {
      if (this.isRevoked) return unauthorized
      const mine = this.orders.find((order) => order.ask === ask)
      const order = mine ?? (free > 0 ? this.orders.find(({ state }) => state === 'offered') : undefined)
      if (order) {
        if (order.state === 'offered') order.state = 'taken'
        order.ask = ask
        return new Answered(200, { order: order.order, cursor: 'c1', ...this.#options.serverAlsoSays })
      }
      const left = late - performance.now()
      // A command ends the poll, so that the runner sends a heartbeat and receives it.
      if (left <= 0 || this.commands.length > 0 || response.destroyed) return new Answered(204)
      await Promise.race([
        once(this.events, 'offered'),
        this.#wait(Math.min(left / 1000 / this.#options.pace, 2)),
      ])
    }
  }

  #beat({ orders }: Beat): Answered {
    const commands = this.commands
    this.commands = []
    return new Answered(200, {
      orders: orders.map(({ run, fence }) => ({ run, fence, ...this.#verdictOn(run, fence) })),
      commands,
      ...intervals,
      ...this.#options.serverAlsoSays,
    })
  }

  #leave(session: number): Answered {
    for (const [instance, known] of this.#sessions)
      if (known.session === session) this.#sessions.delete(instance)
    for (const order of this.orders)
      if (order.state === 'taken') {
        order.isOutdated = true
        order.state = 'ended'
      }
    return new Answered(204)
  }

  #verdictOn(
    run: string,
    fence: number,
  ): { verdict: 'go_on' | 'stop'; how?: 'cancel' | 'abort'; reason?: string } {
    const order = this.#find(run, fence)
    if (!order || order.isOutdated) return { verdict: 'stop', how: 'abort', reason: 'It is no longer yours.' }
    if (order.stop) return { verdict: 'stop', how: order.stop, reason: 'A person has stopped it.' }
    return { verdict: 'go_on' }
  }

  #find(run: string, fence: number): PlayedOrder | undefined {
    return this.orders.find(({ order }) => order.run === run && order.fence === fence)
  }

  #receive(order: PlayedOrder, { reports }: Reports): Answered {
    for (const { number, event } of reports) {
      const before = order.reports.get(number)
      if (before) {
        if (JSON.stringify(before) !== JSON.stringify(event))
          this.violations.push(
            `report ${number} of ${order.order.run} was sent twice with different contents`,
          )
      } else if (number === order.reports.size + 1) order.reports.set(number, event)
      else return gap(order.reports.size + 1)
    }
    return new Answered(200, {
      verdict: order.stop || isOver(order) ? 'stop' : 'go_on',
      next: order.reports.size + 1,
    })
  }

  #log(order: PlayedOrder, { number, lines }: Log): Answered {
    if (Buffer.byteLength(JSON.stringify(lines)) > limits.chunkBytes)
      this.violations.push(`chunk ${number} of the log is larger than ${limits.chunkBytes} bytes`)
    if (lines.some((line) => Buffer.byteLength(line) > limits.lineBytes))
      this.violations.push(`chunk ${number} of the log has a line of more than ${limits.lineBytes} bytes`)
    if (number > order.log.size + 1) return gap(order.log.size + 1)
    if (number === order.log.size + 1) order.log.set(number, lines)
    return new Answered(200, { verdict: order.stop ? 'stop' : 'go_on', next: order.log.size + 1 })
  }

  #wait(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000 * this.#options.pace).unref())
  }
}

const played = (sketch: OrderSketch, at: number): PlayedOrder => ({
  order: sketched(sketch, at),
  state: 'offered',
  ask: null,
  isOutdated: false,
  stop: null,
  reports: new Map(),
  log: new Map(),
  files: new Map(),
})

/** What ends a stage, well or not. */
const ends: RunnerEvent['type'][] = [
  ...(['plan_ready', 'scope_change_proposed', 'question_asked', 'spec_failed', 'change_ready'] as const),
  ...(['gates_ran', 'finished', 'main_checked', 'surveyed', 'failed'] as const),
]

/** After the report that ends it a server wants nothing more of an order. */
export const isOver = ({ reports }: PlayedOrder): boolean =>
  reports.values().some(({ type }) => ends.includes(type))

/** A repository in a folder needs nothing to be let in. */
const wayInto = ({ repository }: Order) => ({
  address: repository.address,
  header: repository.address.startsWith('/') ? null : 'Authorization: Basic aGVsbG86c2VjcmV0LXdvcmQ=',
  expiresAt: null,
})

const unauthorized = refusal(401, 'invalid_token', 'The token is unknown or revoked.')
const gap = (next: number) =>
  refusal(409, 'report_gap', `Number ${next} is wanted next.`, { verdict: 'go_on', next })

function keep(order: PlayedOrder, sha256: string, body: Buffer): Answered {
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    return refusal(422, 'hash_mismatch', 'These are not the bytes of that hash.')
  const isThere = order.files.has(sha256)
  order.files.set(sha256, body)
  return new Answered(isThere ? 200 : 201)
}

const faulty = (fault: Extract<Fault, { does: 'refuse' }>) =>
  refusal(
    fault.status,
    fault.code ?? 'scripted',
    'The scenario wants it so.',
    fault.next === undefined ? {} : { next: fault.next },
    fault.retryAfterSeconds === undefined ? {} : { 'retry-after': `${fault.retryAfterSeconds}` },
  )

function messageOf(request: IncomingMessage, body: Buffer): unknown {
  try {
    return JSON.parse(`${request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body}`)
  } catch {
    return null
  }
}

function send(response: ServerResponse, { status, body, headers }: Answered, recorded?: Recorded): void {
  if (recorded) recorded.status = status
  const isPlain = Buffer.isBuffer(body) || typeof body === 'string' || body === null
  response.writeHead(status, { 'content-type': isPlain ? 'text/html' : 'application/json', ...headers })
  response.end(body === null ? undefined : isPlain ? (body as string | Buffer) : JSON.stringify(body))
}

/** A byte now and then, and never the last one. */
async function trickle(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
  while (!response.destroyed) {
    response.write(' ')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
