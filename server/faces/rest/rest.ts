import { Readable } from 'node:stream'
import type { Permission } from '@signalbox/contract/token.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../domain/context.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { requireRole } from '../../domain/roles.ts'
import type { Authenticator, TokenHolder } from '../../domain/tokens/authenticate.ts'
import { compress, compressStream, encodingFor, worthCompressing } from '../../infra/http/compress.ts'
import type { Quota, RateLimiter } from '../../infra/http/rate-limit.ts'
import { addressOf } from '../../infra/http/server.ts'
import { parseBody, parseIdempotencyKey } from './body.ts'
import { sendError } from './errors.ts'
import { parseQuery } from './parse.ts'
import { type Answer, Body, type FileAnswer, type PathParameter, type Route, type Tools } from './route.ts'
import { routes } from './routes.ts'
import { unrouted } from './unrouted.ts'

export interface RestServices extends Pick<Context, 'db' | 'clock' | 'queue'>, Tools {
  authenticator: Authenticator
  /** 120 a minute for each token. */
  limiter: RateLimiter
  /** The same, by address, for requests without a valid token. */
  strangers: RateLimiter
}

/** Serves the REST API. The order of the checks in `serve` is promised to callers (docs/manual/api.md). */
export function restFace(app: FastifyInstance, services: RestServices): void {
  // A body is taken as it comes and read after the token, whatever its type: 401 comes before 400 and 415.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  for (const route of routes) {
    const keys = Object.entries(route.params).map(([name, { schema, noun }]) => ({
      name,
      noun,
      pattern: new RegExp(schema.pattern ?? ''),
    }))
    app.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.head,
      ...(route.body ? { bodyLimit: maxBodyBytes } : {}),
      handler: (request, reply) => serve(route, keys, services, request, reply),
    })
  }
  // Hooks that have nothing to wait for take a callback: a promise each would cost every request.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isV1(request)) allowOrigins(request, reply)
    if (!reply.hasHeader('x-ratelimit-limit')) countStranger(services, request, reply)
    done(null, payload)
  })
  // Before the body is read: whatever it holds, it is sent to nobody.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const answer = unrouted(request.method, request.url)
    if (answer.link) reply.header('link', answer.link)
    if (answer.allow) reply.header('allow', answer.allow)
    if (answer.error) return done(answer.error)
    reply.code(204).send()
  })
  app.setErrorHandler(sendError)
}

/** A note of 4,000 characters, each escaped in twelve, and the rest. */
const maxBodyBytes = 65_536

/** A key in the path: its shape, and what is missing when it has another. */
interface PathKey {
  name: string
  noun: PathParameter['noun']
  pattern: RegExp
}

async function serve(
  route: Route,
  keys: PathKey[],
  services: RestServices,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (route.deprecated) {
    reply.header('deprecation', `@${route.deprecated.since.getTime() / 1000}`)
    reply.header('link', `<${route.deprecated.successor}>; rel="successor-version"`)
  }
  request.operation = route.operation
  // What is at hand is not awaited: a turn of the queue each would cost every request.
  const known = services.authenticator.authenticate(bearer(request))
  const holder = known instanceof Promise ? await known : known
  request.holder = holder
  const counted = services.limiter.take(holder.tokenId)
  const quota = counted instanceof Promise ? await counted : counted
  quotaHeaders(reply, quota)
  if (quota.refused) refuseForNow(reply, quota, services.clock)
  if (!allows(holder, route.permission)) {
    throw new DomainError('insufficient_scope', `The token lacks the permission ${route.permission}.`)
  }
  const ctx = contextOf(services, holder, request)
  if (route.role) requireRole(ctx, route.role.least, route.role.to)
  // Clients of the first API version send what it once took; nobody is left to mend them.
  const query = (
    route.deprecated ? {} : parseQuery(route.query, request.query as Record<string, unknown>)
  ) as never
  const params = request.params as Record<string, string>
  const body = route.body ? parseBody(route.body, request) : undefined
  for (const { name, pattern, noun } of keys) {
    // A key that cannot exist is not looked for: the answer is that of one that does not.
    if (!pattern.test(params[name]!)) throw notFound(noun, params[name]!)
  }
  const idempotencyKey = route.body ? parseIdempotencyKey(request.headers['idempotency-key']) : undefined
  const answer = await route.respond(ctx, { params, query, body: body as never, idempotencyKey }, services)
  return send(answer, request, reply)
}

function bearer(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (!header) {
    throw new DomainError(
      'missing_token',
      'This endpoint needs an API token: send it as Authorization: Bearer <API_TOKEN>.',
    )
  }
  return /^bearer +(.*)$/i.exec(header)?.[1]?.trim() ?? ''
}

const allows = (holder: TokenHolder, permission: Permission) =>
  holder.permissions.includes(permission) || holder.permissions.includes('admin')

const contextOf = (
  { db, clock, queue }: RestServices,
  holder: TokenHolder,
  request: FastifyRequest,
): Context => ({
  db,
  clock,
  queue,
  workspaceId: holder.workspaceId,
  actor: { type: 'human', name: holder.personName, userId: holder.personId, role: holder.role },
  channel: 'api',
  origin: { requestId: request.id, tokenPrefix: holder.prefix },
})

function quotaHeaders(reply: FastifyReply, quota: Quota): void {
  reply.header('x-ratelimit-limit', quota.limit)
  reply.header('x-ratelimit-remaining', quota.remaining)
  reply.header('x-ratelimit-reset', quota.resetsAt)
}

function refuseForNow(reply: FastifyReply, quota: Quota, clock: Context['clock']): never {
  const seconds = Math.max(1, quota.resetsAt - Math.floor(clock.now().getTime() / 1000))
  reply.header('retry-after', seconds)
  throw new DomainError(
    'rate_limited',
    `Rate limit of ${quota.limit} requests per minute reached. Retry in ${seconds} seconds.`,
  )
}

/** For a request that reaches no route: the error, with the headers every response carries. */
export function sendBrokenPath(
  services: Pick<RestServices, 'strangers'>,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  reply.header('x-request-id', request.id)
  countStranger(services, request, reply)
  sendError(error, request, reply)
}

/**
 * A response without a living token still carries the three headers, from a bucket of the caller's address. The bucket
 * refuses nothing: a wrong token is always told that it is wrong.
 */
function countStranger(
  services: Pick<RestServices, 'strangers'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const address = addressOf(request.ip)
  quotaHeaders(
    reply,
    request.method === 'OPTIONS' ? services.strangers.peek(address) : services.strangers.count(address),
  )
}

async function send(answer: Answer, request: FastifyRequest, reply: FastifyReply) {
  if (!(answer instanceof Body)) return sendFile(answer, request, reply)
  reply.header('vary', 'Authorization, Accept-Encoding, Origin')
  if (request.method === 'POST') reply.header('cache-control', 'no-store')
  else {
    reply.header('etag', answer.etag)
    reply.header('cache-control', 'private, no-cache')
    if (matches(request.headers['if-none-match'], answer.etag)) return reply.code(304).send()
  }
  reply.header('content-type', 'application/json; charset=utf-8')
  const encoding = worthCompressing(answer.json) ? encodingFor(request.headers['accept-encoding']) : null
  if (!encoding) return reply.send(answer.payload)
  return reply.header('content-encoding', encoding).send(await compress(answer.bytes, encoding))
}

const matches = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag.slice(2)))

function sendFile(file: FileAnswer, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    ...file.headers,
    'cache-control': 'no-store',
    vary: 'Authorization, Accept-Encoding, Origin',
  })
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (!encoding) return reply.send(Readable.from(file.content))
  return reply.header('content-encoding', encoding).send(compressStream(file.content, encoding))
}

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

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the token is known to live. */
    holder?: TokenHolder
  }
}
