import { Readable } from 'node:stream'
import type * as Sdk from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { NestsTooDeep, parseJson } from '../../domain/parse-json.ts'
import { admitToken, bearer, type TokenServices } from '../http/bearer.ts'
import { ownPaths } from '../http/paths.ts'
import { admitBatch } from './batch.ts'
import type { ToolServices } from './calls/tool.ts'
import { refuseForeignHost } from './dns-rebinding.ts'
import type { OpenCalls } from './open-calls.ts'
import { type Caller, operationOf, serverFor, toolsetsFrom, toolsFrom } from './server.ts'

export interface McpServices extends Mount, ToolServices {
  version: string
}

/** What it takes to let someone in, whatever is served behind it. */
interface Mount extends TokenServices, Pick<ToolServices, 'publicUrl'> {
  openCalls: OpenCalls
}

/** One request, before anything is served. */
type Visitor = Omit<Caller, 'services'>

/** Makes the server for one request. */
type MakeServer = (sdk: typeof Sdk, visitor: Visitor) => Sdk.Server

/**
 * The MCP server, for coding agents that people run on their own machines. Stateless: every request stands for itself,
 * in the old protocol and in the new one. Any token of the workspace may ask, whatever its permissions; the
 * rights are those of the token's owner, and the verbs check them.
 */
export async function mcpFace(app: FastifyInstance, services: McpServices): Promise<void> {
  app.addHook('preClose', async () => services.waits.close())
  serveMcp(app, '/mcp', services, (sdk, visitor) =>
    serverFor(sdk, { ...visitor, services }, services.version),
  )
  ownPaths(app, ['/mcp'])
}

/** Apart from what is served, so that the conformance suite can meet the same door with tools of its own behind it. */
export function serveMcp(app: FastifyInstance, path: string, services: Mount, makeServer: MakeServer): void {
  // A few megabytes that a server without local agents never needs: loaded by the first request.
  let handler: Promise<Sdk.McpHttpHandler> | undefined
  const load = async () => {
    const sdk = await import('@modelcontextprotocol/server')
    return sdk.createMcpHandler(({ authInfo }) => makeServer(sdk, authInfo!.extra!.visitor as Visitor))
  }
  app.addHook('preClose', async () => {
    if (handler) await (await handler).close()
  })
  for (const readOnly of [false, true]) {
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: readOnly ? `${path}/readonly` : path,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        request.operation = 'mcp'
        reply.header('cache-control', 'no-store')
        refuseForeignHost(request, services.publicUrl())
        const visitor = await admit(services, request, reply, readOnly)
        const body = bodyOf(request)
        await admitBatch(services, request, reply, visitor, body?.json)
        request.operation = operationOf(body?.json)
        handler ??= load()
        return answer(services, request, reply, visitor, (web) =>
          handler!.then(({ fetch }) =>
            fetch(web, {
              authInfo: authOf(visitor),
              ...(body?.json === undefined ? {} : { parsedBody: body.json }),
            }),
          ),
        )
      },
    })
  }
}

type Admitted = Visitor & { leave: AbortController }

async function admit(
  services: Mount,
  request: FastifyRequest,
  reply: FastifyReply,
  readOnly: boolean,
): Promise<Admitted> {
  const { ctx, holder } = await admitToken(services, request, reply, 'mcp')
  const asked = (name: 'toolsets' | 'tools'): string | undefined => {
    const value = request.headers[`x-mcp-${name}`] ?? (request.query as Record<string, unknown>)[name]
    if (value === undefined || typeof value === 'string') return value
    throw new DomainError('invalid_parameter', `\`${name}\` is given more than once.`)
  }
  const leave = new AbortController()
  return {
    ctx,
    holder,
    requestsPerMinute: Number(reply.getHeader('x-ratelimit-limit')),
    gone: leave.signal,
    leave,
    readOnly,
    toolsets: toolsetsFrom(asked('toolsets')),
    only: toolsFrom(asked('tools')),
    onError: (error) => request.log.error({ err: error, requestId: request.id }, 'request failed'),
  }
}

const authOf = (visitor: Visitor): Sdk.AuthInfo => ({
  // The token itself is not needed from here on.
  token: visitor.holder.prefix,
  clientId: visitor.holder.tokenId,
  scopes: [],
  expiresAt: Math.floor(visitor.holder.expiresAt.getTime() / 1000),
  extra: { visitor },
})

/** What is no JSON is left to the protocol, which has an error for it. */
function bodyOf({ method, body }: FastifyRequest): { json?: unknown } | undefined {
  if (method !== 'POST' || !(body instanceof Buffer)) return undefined
  try {
    return { json: parseJson(body.toString('utf8')) }
  } catch (error) {
    if (error instanceof NestsTooDeep) throw new DomainError('invalid_request', `The body ${error.message}.`)
    return {}
  }
}

/** Passes the request on and its answer back, until either side, or the end of the token, breaks it off. */
async function answer(
  { openCalls }: Mount,
  request: FastifyRequest,
  reply: FastifyReply,
  { leave }: Admitted,
  fetch: (web: Request) => Promise<Response>,
): Promise<FastifyReply> {
  const ended = Promise.withResolvers<never>()
  // It may end before anyone waits for it, or after everyone has stopped.
  ended.promise.catch(() => {})
  let stream: Readable | undefined
  const close = openCalls.add({
    token: bearer(request),
    end: (error) => {
      leave.abort()
      ended.reject(error)
      stream?.destroy()
      if (stream) reply.raw.destroy()
    },
  })
  reply.raw.once('close', () => {
    close()
    leave.abort()
  })
  const response = await Promise.race([fetch(webRequest(request, leave.signal)), ended.promise])
  reply.code(response.status)
  for (const [name, value] of response.headers) reply.header(name, value)
  if (!response.body) return reply.send('')
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return reply.send(Buffer.from(await response.arrayBuffer()))
  // A stream is quiet for as long as nothing happens; that is no reason to end it.
  request.raw.socket.setTimeout(0)
  reply.header('x-accel-buffering', 'no')
  stream = Readable.from(begun(response.body))
  stream.on('error', () => {})
  return reply.send(stream)
}

/**
 * Headers go out with the first bytes, and a client that waits for a person should see immediately that there is a
 * stream.
 */
async function* begun(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(': open\n\n')
  yield* body
}

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // Handlers have no use for the token.
    if (value === undefined || name === 'authorization' || name === 'cookie') continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const { method, body } = request
  return new Request(new URL(request.url, 'http://signalbox.invalid'), {
    method,
    headers,
    signal,
    ...(method === 'POST' && body instanceof Buffer ? { body: new Uint8Array(body) } : {}),
  })
}
