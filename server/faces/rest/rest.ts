import type { IncomingMessage } from 'node:http'
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../domain/errors.ts'
import { onReplica } from '../../domain/on-replica.ts'
import { requireRole } from '../../domain/roles.ts'
import { encodingFor, worthCompressing } from '../../infra/http/compress.ts'
import { admit, countToken, type TokenServices } from '../http/bearer.ts'
import { sendError } from '../http/errors.ts'
import { fileAnswer } from '../http/file.ts'
import { idempotencyKeyOf, jsonReader, queryReader } from '../http/input.ts'
import { ownPaths } from '../http/paths.ts'
import { type Answer, type Exchange, type Finder, readBody } from '../http/pipeline.ts'
import { describe } from './describe.ts'
import { type Match, matcher } from './match.ts'
import { originHeaders } from './origins.ts'
import { routes } from './routes.ts'
import { refuseUnrouted } from './unrouted.ts'
import { Body, cacheControl, jsonType, type Route, type Sendable, type Tools, vary } from './v1/route.ts'

export interface RestServices extends TokenServices, Tools {
  publicUrl: () => string
}

/** The REST API. The order of the checks in `serve` is promised to callers (docs/manual/api.md). */
export async function restFace(app: FastifyInstance, services: RestServices): Promise<void> {
  app.answerFirst(finder(services))
  describe(app, services.publicUrl)
  app.setErrorHandler(async (error, request, reply) => {
    await countToken(services, request, reply)
    return sendError(error, request, reply)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const allow = String(reply.getHeader('allow') ?? 'GET')
    if (isV1(request)) for (const [name, value] of originHeaders(request, allow)) reply.header(name, value)
    done(null, payload)
  })
  ownPaths(app, ['/v1', '/boards', '/projects', '/tasks'], refuseUnrouted)
}

const isV1 = ({ url }: Pick<FastifyRequest, 'url'>) => url.startsWith('/v1/')

function finder(services: RestServices): Finder {
  const serving = new Map(routes.map((route) => [route, serve(route, services)]))
  const match = matcher(routes)
  return ({ method = '', url = '' }) => {
    const mark = url.indexOf('?')
    const found = match(method, mark < 0 ? url : url.slice(0, mark))
    if (!found) return undefined
    const query = mark < 0 ? '' : url.slice(mark + 1)
    return (exchange) => serving.get(found.route)!(exchange, found, query)
  }
}

/** A note of 4,000 characters, each escaped in twelve, and the rest. */
const maxBodyBytes = 65_536

function serve(route: Route, services: RestServices) {
  const { permission, deprecated, role } = route
  const queryOf = queryReader(route.query)
  const bodyOf = route.body && jsonReader(route.body)
  const keys = Object.entries(route.params).map(([name, { schema, noun }]) => ({
    name,
    noun,
    pattern: new RegExp(schema.pattern ?? ''),
  }))
  const isOfV1 = isV1({ url: route.path })
  return async (exchange: Exchange, { params }: Match, text: string): Promise<Answer> => {
    const { request, headers } = exchange
    exchange.operation = route.operation
    if (isOfV1) headers.push(...originHeaders(request).flat())
    if (deprecated) {
      headers.push('deprecation', `@${deprecated.since.getTime() / 1000}`)
      headers.push('link', `<${deprecated.successor}>; rel="successor-version"`)
    }
    const ctx = await admit(services, exchange, { permission, channel: 'api' })
    if (role) requireRole(ctx, role.least, role.to)
    // Clients of the first API version send what it once took; they will not change any more.
    const query = (deprecated || text === '' ? queryOf({}) : queryOf(parse(text))) as never
    const body = bodyOf?.(request.headers, await readBody(request, maxBodyBytes)) as never
    for (const { name, pattern, noun } of keys) {
      // A key that cannot exist is not looked for: the answer is that of one that does not.
      if (!pattern.test(params[name]!)) throw notFound(noun, params[name]!)
    }
    const idempotencyKey = bodyOf && idempotencyKeyOf(request)
    const reading = route.onReplica ? await onReplica(ctx) : ctx
    return answerOf(await route.respond(reading, { params, query, body, idempotencyKey }, services), request)
  }
}

async function answerOf(sendable: Sendable, { method, headers: asked }: IncomingMessage): Promise<Answer> {
  if (!(sendable instanceof Body)) return fileAnswer(sendable, asked['accept-encoding'], vary)
  const headers = ['vary', vary, ...sendable.headers]
  if (method === 'POST') headers.push('cache-control', 'no-store')
  else {
    headers.push('etag', sendable.etag, 'cache-control', cacheControl)
    if (matches(asked['if-none-match'], sendable.etag)) return { status: 304, headers, body: '' }
  }
  headers.push('content-type', jsonType)
  const encoding = worthCompressing(sendable.json) ? encodingFor(asked['accept-encoding']) : null
  if (!encoding) return { status: 200, headers, body: sendable.payload }
  headers.push('content-encoding', encoding)
  return { status: 200, headers, body: await sendable.compressed(encoding) }
}

const matches = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag.slice(2)))
