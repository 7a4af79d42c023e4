import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { spanOf } from '../../infra/http/request-spans.ts'
import { createHttpServer, isSecure } from '../../infra/http/server.ts'
import { brokenRequest, refuseToConnect, sendError } from './errors.ts'
import {
  type Caller,
  type Finder,
  faultOf,
  type HttpServices,
  pipelineOf,
  plainHttpRefused,
  requestLine,
} from './pipeline.ts'
import { countStranger } from './quota.ts'

/**
 * The server that all faces are plugins of: what every request meets and every response carries, whichever face it is
 * for. A face is a folder beside this one (docs/recipes/add-a-face.md).
 */
export function createHttp(services: HttpServices): FastifyInstance {
  const { strangers, metrics, isHttps, ...options } = services
  const { log } = options
  let isLeaving = false
  const greet = (request: FastifyRequest, reply: FastifyReply) => {
    if (isLeaving) reply.header('connection', 'close')
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
    const isAllowed = isSecure(request, options) || request.routeOptions.config.overPlainHttp === true
    done(isAllowed ? faultOf(request.raw) : plainHttpRefused())
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('x-ratelimit-limit')) countStranger(strangers, request, reply)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observe(request.operation, reply.statusCode, reply.elapsedTime)
    const { id, caller, operation, method } = request
    const told = { id, caller, operation, method, status: reply.statusCode, elapsedMs: reply.elapsedTime }
    const trace = spanOf(request.raw, operation)
    // Load balancers ask every second, and most of the log would be about them.
    const level = request.routeOptions.config.isProbe && reply.statusCode < 400 ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) log[level]({ ...requestLine(told), ...trace })
    done()
  })
  app.setErrorHandler(sendError)
  const { answerFirst, lastAnswers } = pipelineOf(app, services)
  app.decorate('answerFirst', answerFirst)
  app.decorate('lastAnswers', () => {
    isLeaving = true
    lastAnswers()
  })
  return app
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Lets a face answer requests before Fastify sees them. */
    answerFirst: (find: Finder) => void
    /** Tells connections that are kept open that each answer is their last: the server is about to stop. */
    lastAnswers: () => void
  }
  interface FastifyContextConfig {
    /** Answered over plain HTTP from anywhere: it takes no secret and tells none. */
    overPlainHttp?: boolean
    /** Asked by machines again and again: that all is well is not worth a line in the log. */
    isProbe?: boolean
  }
  interface FastifyRequest {
    /** Who asks, once a face knows it: for the log. */
    caller?: Caller
  }
}
