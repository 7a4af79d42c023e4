import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Channel } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Quota, RateLimiter } from '../../infra/http/rate-limit.ts'
import { addressOf, createHttpServer, genReqId, type HttpOptions, isSecure } from '../../infra/http/server.ts'
import type { Metrics } from '../../infra/metrics.ts'
import { CountedLines } from './counted-lines.ts'
import { brokenRequest, refuseToConnect, sendError } from './errors.ts'
import { countStranger } from './quota.ts'

export interface HttpServices extends Pick<HttpOptions, 'log' | 'tls' | 'trustProxy'> {
  metrics: Metrics
  /** Counts requests without a valid token, by address. */
  strangers: RateLimiter
  /** Whether the browser at the other end speaks https. */
  isHttps: (request: FastifyRequest) => boolean
}

/**
 * The server that all faces are plugins of: what every request meets and every response carries, whichever face it is
 * for. A face is a folder beside this one (docs/recipes/add-a-face.md).
 */
export function createHttp({ strangers, metrics, isHttps, ...options }: HttpServices): FastifyInstance {
  const { log } = options
  const greet = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    if (isHttps(request)) reply.header('strict-transport-security', 'max-age=31536000')
  }
  const app = createHttpServer({
    ...options,
    onBrokenRequest: (error, socket) => brokenRequest(error, socket, strangers),
    onBrokenPath: (error, request, reply) => {
      greet(request, reply)
      countStranger(strangers, request, reply)
      sendError(error, request, reply)
    },
    onConnect: (socket) => refuseToConnect(socket, strangers),
  })
  // A body is taken as it comes and read after the token, whatever its type: 401 comes before 400 and 415.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  // Hooks that have nothing to wait for take a callback: a promise each would cost every request.
  app.addHook('onRequest', (request, reply, done) => {
    greet(request, reply)
    done(isSecure(request, options) ? faultOf(request) : plainHttpRefused())
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('x-ratelimit-limit')) countStranger(strangers, request, reply)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observe(request.operation, reply.statusCode, reply.elapsedTime)
    if (log.isLevelEnabled('info')) log.info(requestLine(request, reply))
    done()
  })
  app.setErrorHandler(sendError)
  const saysHttps = isHttps({ protocol: options.tls ? 'https' : 'http' } as FastifyRequest)
  const counted = new CountedLines(log)
  app.addHook('onClose', async () => counted.flush())
  app.decorate('quickly', {
    // Behind a proxy, who asks and how is for Fastify to work out.
    isPossible: (request: IncomingMessage) =>
      options.trustProxy.length === 0 &&
      isSecure(request as unknown as FastifyRequest, options) &&
      faultOf({ headers: request.headers, raw: request } as FastifyRequest) === undefined,
    answer(request, response, said) {
      const { id = genReqId(request), operation, caller, begun, status, headers, body } = said
      const { limit, remaining, resetsAt } =
        said.quota ?? strangers.count(addressOf(request.socket.remoteAddress ?? ''))
      // A list, as it goes out: nothing has to be looked up in it.
      headers.push('x-request-id', id, 'x-content-type-options', 'nosniff')
      headers.push('x-ratelimit-limit', String(limit), 'x-ratelimit-remaining', String(remaining))
      headers.push('x-ratelimit-reset', String(resetsAt), 'content-length', String(Buffer.byteLength(body)))
      if (saysHttps) headers.push('strict-transport-security', 'max-age=31536000')
      try {
        response.writeHead(status, headers).end(body)
        const elapsedTime = performance.now() - begun
        metrics.observe(operation, status, elapsedTime)
        if (!log.isLevelEnabled('info')) return
        const asked = { id, operation, method: request.method, caller } as FastifyRequest
        const line = requestLine(asked, { statusCode: status, elapsedTime } as FastifyReply)
        if (!said.inStorms || isWorthItsLine(request, elapsedTime) || log.isLevelEnabled('debug'))
          log.info(line)
        else counted.add(line)
      } catch (error) {
        if (!response.headersSent) throw error
        // Half an answer cannot become another one: whoever asked sees it break off, and may ask again.
        if (!response.writableEnded) response.destroy()
        log.error({ err: error, requestId: id }, 'an answer could not be finished')
      }
    },
  } satisfies Quickly)
  return app
}

/** What a face needs that answers some requests without Fastify: they are to be answered and counted all the same. */
interface Quickly {
  isPossible(request: IncomingMessage): boolean
  /** Throws only while nothing has been sent: what is on its way cannot become another answer. */
  answer(request: IncomingMessage, response: ServerResponse, answer: QuickAnswer): void
}

interface QuickAnswer {
  /** Of the request, where it has one already. */
  id?: string
  operation: string
  caller: NonNullable<FastifyRequest['caller']>
  /** As `performance.now` tells it. */
  begun: number
  status: number
  /** What is left to whoever asks; of their address, where no token was counted. */
  quota?: Quota
  /** Names and values in turn. Those that every answer has are added to them. */
  headers: string[]
  body: string | Buffer
  /** So many come at once that their log lines are counted; each leaves another trace. */
  inStorms?: true
}

/** What Node would answer by itself, without a body. */
function faultOf({ headers, raw }: FastifyRequest): DomainError | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    return new DomainError('invalid_request', 'HTTP/1.1 requests need a Host header.')
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    return new DomainError(
      'expectation_failed',
      'The only Expect header this server supports is 100-continue.',
    )
  return undefined
}

const plainHttpRefused = () =>
  new DomainError('https_required', 'Plain HTTP is refused: use https. If a token was sent, revoke it.')

/** Somebody follows it through several systems, or it took long: both want to be found by themselves. */
const isWorthItsLine = ({ headers }: IncomingMessage, elapsedMs: number) =>
  headers['x-request-id'] !== undefined || elapsedMs >= 1_000

/** What a log line tells of a request: the operation instead of the address, because addresses can carry secrets. */
const requestLine = ({ id, caller, operation, method }: FastifyRequest, reply: FastifyReply) => ({
  requestId: id,
  workspace: caller?.workspace,
  actor: caller?.actor,
  token: caller?.token,
  channel: caller?.channel ?? 'api',
  verb: operation,
  method,
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime * 10) / 10,
})

declare module 'fastify' {
  interface FastifyInstance {
    quickly: Quickly
  }
  interface FastifyRequest {
    /** Who asks, once a face knows it: for the log. */
    caller?: { channel: Channel; workspace?: string | undefined; actor?: string; token?: string }
  }
}
