import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../domain/errors.ts'
import { requireRole } from '../../domain/roles.ts'
import { encodingFor, worthCompressing } from '../../infra/http/compress.ts'
import { contextOfToken, countToken, type TokenServices } from '../http/bearer.ts'
import { sendError } from '../http/errors.ts'
import { sendFile } from '../http/file.ts'
import { bodyReader, idempotencyKeyOf, queryReader } from '../http/input.ts'
import { ownPaths } from '../http/paths.ts'
import { describe } from './describe.ts'
import { failAsBefore, readQuickly } from './quick.ts'
import { routes } from './routes.ts'
import { refuseUnrouted } from './unrouted.ts'
import { Body, cacheControl, jsonType, type Route, type Sendable, type Tools, vary } from './v1/route.ts'

export interface RestServices extends TokenServices, Tools {
  publicUrl: () => string
}

/** The REST API. The order of the checks in `serve` is promised to callers (docs/manual/api.md). */
export async function restFace(app: FastifyInstance, services: RestServices): Promise<void> {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.head,
      ...(route.body ? { bodyLimit: maxBodyBytes } : {}),
      handler: serve(route, services),
    })
  }
  describe(app, services.publicUrl)
  app.setErrorHandler(async (error, request, reply) => {
    // Where a route has begun, its token was asked for.
    if (request.operation === 'unknown') await countToken(services, request, reply)
    return sendError(error, request, reply)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isV1(request)) allowOrigins(request, reply)
    done(null, payload)
  })
  readQuickly(app, services)
  ownPaths(app, ['/v1', '/boards', '/projects', '/tasks'], refuseUnrouted)
}

/** A note of 4,000 characters, each escaped in twelve, and the rest. */
const maxBodyBytes = 65_536

function serve(route: Route, services: RestServices) {
  const { permission, deprecated, role } = route
  const queryOf = queryReader(route.query)
  const bodyOf = route.body && bodyReader(route.body)
  const keys = Object.entries(route.params).map(([name, { schema, noun }]) => ({
    name,
    noun,
    pattern: new RegExp(schema.pattern ?? ''),
  }))
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (deprecated) {
      reply.header('deprecation', `@${deprecated.since.getTime() / 1000}`)
      reply.header('link', `<${deprecated.successor}>; rel="successor-version"`)
    }
    request.operation = route.operation
    const ctx = await contextOfToken(services, request, reply, { permission, channel: 'api' })
    if (role) requireRole(ctx, role.least, role.to)
    // Clients of the first API version send what it once took; nobody is left to mend them.
    const query = (deprecated ? {} : queryOf(request.query)) as never
    const params = request.params as Record<string, string>
    const body = bodyOf?.(request) as never
    for (const { name, pattern, noun } of keys) {
      // A key that cannot exist is not looked for: the answer is that of one that does not.
      if (!pattern.test(params[name]!)) throw notFound(noun, params[name]!)
    }
    const idempotencyKey = bodyOf && idempotencyKeyOf(request)
    failAsBefore(request.raw)
    return send(await route.respond(ctx, { params, query, body, idempotencyKey }, services), request, reply)
  }
}

async function send(sendable: Sendable, request: FastifyRequest, reply: FastifyReply) {
  if (!(sendable instanceof Body)) return sendFile(reply, sendable, vary)
  reply.header('vary', vary)
  if (request.method === 'POST') reply.header('cache-control', 'no-store')
  else {
    reply.header('etag', sendable.etag)
    reply.header('cache-control', cacheControl)
    if (matches(request.headers['if-none-match'], sendable.etag)) return reply.code(304).send()
  }
  reply.header('content-type', jsonType)
  const encoding = worthCompressing(sendable.json) ? encodingFor(request.headers['accept-encoding']) : null
  if (!encoding) return reply.send(sendable.payload)
  return reply.header('content-encoding', encoding).send(await sendable.compressed(encoding))
}

const matches = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag.slice(2)))

const isV1 = (request: FastifyRequest) => request.url.startsWith('/v1/')

/** Tokens travel in a header that pages must set themselves, so any origin may ask; cookies are never accepted. */
function allowOrigins(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*')
  if (!request.headers.origin) return
  reply.header('access-control-expose-headers', exposed)
  if (request.method !== 'OPTIONS') return
  reply.header('access-control-allow-methods', String(reply.getHeader('allow') ?? 'GET'))
  reply.header(
    'access-control-allow-headers',
    'Authorization, Content-Type, If-None-Match, Idempotency-Key, X-Request-Id',
  )
  reply.header('access-control-max-age', '86400')
}

const exposed = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'ETag',
  'X-Service-Export-Count',
  'X-Service-Export-Truncated',
  'X-Service-Export-Id',
].join(', ')
