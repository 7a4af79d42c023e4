import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, pipeline as stream } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Channel } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Quota, RateLimiter } from '../../infra/http/rate-limit.ts'
import { spanOf } from '../../infra/http/request-spans.ts'
import {
  addressOf,
  genReqId,
  type HttpOptions,
  isSecure,
  type Remote,
  remoteReader,
  takeFirst,
} from '../../infra/http/server.ts'
import type { Metrics } from '../../infra/metrics.ts'
import { CountedLines } from './counted-lines.ts'
import { errorAnswer } from './errors.ts'
import { quotaHeaders } from './quota.ts'

/**
 * The way of a request that comes in numbers: reads and answers of the REST API, and deliveries of alerts. A face finds
 * who answers it, by method and path alone; what it answers, refusals included, goes out from here with the headers,
 * metrics and log line that every answer has. Fastify sees what no face finds.
 */

export interface HttpServices extends Pick<HttpOptions, 'log' | 'tls' | 'trustProxy'> {
  metrics: Metrics
  /** Counts requests without a valid token, by address. */
  strangers: RateLimiter
  /** Whether the browser at the other end speaks https. */
  isHttps: (request: { protocol: string }) => boolean
}

/** Who asks, once a face knows it: for the log. */
export interface Caller {
  channel: Channel
  workspace?: string | undefined
  actor?: string
  token?: string
}

/** One request, and what is learned about it on its way. */
export class Exchange {
  readonly request: IncomingMessage
  readonly id: string
  readonly begun: number = performance.now()
  /** Names what was asked for, in logs and metrics. */
  operation = 'unknown'
  caller: Caller = { channel: 'api' }
  /** What is left to the token; without one, what is left to the address is told. */
  quota: Quota | null = null
  /** Names and values in turn, sent whatever the answer is. */
  readonly headers: string[] = []
  /** So many come at once that their log lines are counted; each leaves another trace. */
  inStorms = false

  readonly remote: Remote

  constructor(request: IncomingMessage, remote: Remote) {
    this.request = request
    this.remote = remote
    this.id = genReqId(request)
  }
}

export interface Answer {
  status: number
  /** Names and values in turn, as they go out: nothing has to be looked up in them. */
  headers: string[]
  /** A file is made while it is sent. */
  body: string | Buffer | Readable
}

type Answerer = (exchange: Exchange) => Promise<Answer>

/** Who answers a request; undefined leaves it to Fastify. It looks at nothing but method and path. */
export type Finder = (request: IncomingMessage) => Answerer | undefined

/** Lets a face answer what it finds. */
export function pipelineOf(
  app: FastifyInstance,
  services: HttpServices,
): { answerFirst: (find: Finder) => void; lastAnswers: () => void } {
  const { log } = services
  const lines = new CountedLines(log)
  const out = new Out(services, lines)
  const remoteOf = remoteReader(services.trustProxy)
  app.addHook('onClose', async () => lines.flush())
  const lastAnswers = () => {
    out.isClosing = true
  }
  app.addHook('preClose', async () => lastAnswers())
  const answerFirst = (find: Finder) =>
    takeFirst(app, (request, response, fastify) => {
      const answer = find(request)
      if (!answer) return fastify(request, response)
      const remote = remoteOf(request)
      const exchange = new Exchange(request, remote)
      const refusal = isSecure(remote, services) ? faultOf(request) : plainHttpRefused()
      const answered = refusal ? Promise.reject(refusal) : answer(exchange)
      answered
        .catch((error: unknown) => errorAnswer(error, { id: exchange.id, log }))
        .then((told) => out.send(exchange, response, told))
        .catch((error) => out.failed(exchange, response, error))
    })
  return { answerFirst, lastAnswers }
}

/** What Node itself would answer without a body. */
export function faultOf({ headers, httpVersion }: IncomingMessage): DomainError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new DomainError('invalid_request', 'HTTP/1.1 requests need a Host header.')
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    return new DomainError(
      'expectation_failed',
      'The only Expect header this server supports is 100-continue.',
    )
  return undefined
}

export const plainHttpRefused = () =>
  new DomainError('https_required', 'Plain HTTP is refused: use https. If a token was sent, revoke it.')

/** Writes answers, and what is noted about them. */
class Out {
  /** Connections that are kept open are told that this answer is their last. */
  isClosing = false
  readonly #services: HttpServices
  readonly #lines: CountedLines

  constructor(services: HttpServices, lines: CountedLines) {
    this.#services = services
    this.#lines = lines
  }

  send(exchange: Exchange, response: ServerResponse, answer: Answer): void {
    if (response.destroyed) return
    response.writeHead(answer.status, this.#head(exchange, answer))
    if (answer.body instanceof Readable)
      stream(answer.body, response, (error) => {
        if (error) this.failed(exchange, response, error)
      })
    else response.end(answer.body)
    this.#note(exchange, answer.status)
  }

  /** Half an answer cannot become another one: the caller sees it break off, and may ask again. */
  failed({ id }: Exchange, response: ServerResponse, error: unknown): void {
    if (!response.writableEnded) response.destroy()
    try {
      this.#services.log.error({ err: error, requestId: id }, 'an answer could not be finished')
    } catch {
      // The log itself is what fails, and the answer is out.
    }
  }

  #head({ id, quota, headers, request, remote }: Exchange, answer: Answer): string[] {
    const { strangers, isHttps } = this.#services
    const head = [...answer.headers, ...headers, 'x-request-id', id, 'x-content-type-options', 'nosniff']
    head.push(...quotaHeaders(quota ?? strangers.count(addressOf(remote.ip))))
    if (isHttps(remote)) head.push('strict-transport-security', 'max-age=31536000')
    if (this.isClosing) head.push('connection', 'close')
    const { body } = answer
    if (answer.status !== 304 && !(body instanceof Readable))
      head.push('content-length', String(Buffer.byteLength(body)))
    // A HEAD is answered before the file that it would be is made.
    if (body instanceof Readable && request.method === 'HEAD') body.destroy()
    return head
  }

  #note({ id, operation, begun, caller, request, inStorms }: Exchange, status: number): void {
    const { log, metrics } = this.#services
    const elapsedMs = performance.now() - begun
    metrics.observe(operation, status, elapsedMs)
    const trace = spanOf(request, operation)
    if (!log.isLevelEnabled('info')) return
    const done = { id, caller, operation, method: request.method ?? '', status, elapsedMs }
    const line = { ...requestLine(done), ...trace }
    if (inStorms && !isWorthItsLine(request, elapsedMs) && !log.isLevelEnabled('debug')) this.#lines.add(line)
    else log.info(line)
  }
}

/** Someone follows it through several systems, or it took long: both must be found on their own. */
const isWorthItsLine = ({ headers }: IncomingMessage, elapsedMs: number) =>
  headers['x-request-id'] !== undefined || elapsedMs >= 1_000

/** What a log line says about a request: the operation instead of the address, because addresses can carry secrets. */
export const requestLine = (done: {
  id: string
  caller: Caller | undefined
  operation: string
  method: string
  status: number
  elapsedMs: number
}) => ({
  requestId: done.id,
  workspace: done.caller?.workspace,
  actor: done.caller?.actor,
  token: done.caller?.token,
  channel: done.caller?.channel ?? 'api',
  verb: done.operation,
  method: done.method,
  status: done.status,
  ms: Math.round(done.elapsedMs * 10) / 10,
})

/** All of a body, as it comes. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.reject(tooLarge())
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > most) reject(tooLarge())
    else chunks.push(chunk)
  })
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)))
  // It is not told to anyone: the caller has gone.
  request.on('close', () =>
    reject(new DomainError('invalid_request', 'The connection closed before the request was complete.')),
  )
  return promise
}

const tooLarge = () => new DomainError('payload_too_large', 'The request body is too large.')
