import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import proxyAddr from '@fastify/proxy-addr'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from '../log.ts'

export interface HttpOptions {
  log: Logger
  tls: { cert: string; key: string } | null
  /** Addresses of proxies whose forwarded headers are believed. */
  trustProxy: string[]
  /** Bytes that are no HTTP request. */
  onBrokenRequest: (error: NodeJS.ErrnoException, socket: Socket) => void
  /** A request whose path cannot be decoded; it reaches neither routes nor hooks. */
  onBrokenPath: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  /** A request to pass bytes on to another server. */
  onConnect: (socket: Duplex) => void
}

const limits = {
  headersTimeout: 10_000,
  // How late a limit of time may be noticed. Node looks every half a minute.
  connectionsCheckingInterval: 500,
  // Node refuses a request without a Host on its own, with no body and none of our headers.
  requireHostHeader: false,
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Hands every request over before Fastify sees it; what is not wanted is passed on to `fastify` at once. */
export function takeFirst(
  { server }: FastifyInstance,
  take: (request: IncomingMessage, response: ServerResponse, fastify: Listener) => void,
): void {
  const [before] = server.listeners('request') as Listener[]
  const fastify: Listener = (request, response) => before!.call(server, request, response)
  server.off('request', before!)
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    take(request, response, fastify),
  )
}

/** Fastify with limits on everything that a client could stretch. */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    // Log lines name their request themselves; a child logger for each would cost every request.
    childLoggerFactory: (logger: Logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    http: limits,
    https: options.tls && { ...options.tls, ...limits },
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    genReqId,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    bodyLimit: 1_048_576,
    forceCloseConnections: 'idle',
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unhurried.has(socket)) return
      options.onBrokenRequest(error, socket)
    },
    frameworkErrors: options.onBrokenPath,
    // As long as a request line can be: a long key is a missing thing, not a missing path.
    routerOptions: { maxParamLength: 16_384 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  } as Parameters<typeof Fastify>[0])
  const plain = app as unknown as FastifyInstance
  plain.decorateRequest('operation', 'unknown')
  // Node answers an expectation it does not know on its own; here it is a request like any other.
  plain.server.on('checkExpectation', (request, response) => plain.server.emit('request', request, response))
  plain.server.on('connect', (_, socket) => options.onConnect(socket))
  return plain
}

/** Connections whose request may take longer to arrive than others. */
const unhurried = new WeakSet<Socket>()

/**
 * Lets this one request take its time to arrive, as long as something moves. Node has one limit for all of a server,
 * and says so once when it is over: for these it is not heard. Its caller sets a limit of its own.
 */
export function takeTime({ socket }: IncomingMessage, response: ServerResponse, idleMs: number): void {
  unhurried.add(socket)
  // Node itself goes back to the usual time with the next request.
  socket.setTimeout(idleMs)
  response.once('close', () => unhurried.delete(socket))
}

/** Bodies are checked by faces/http/input.ts. What Fastify would check them with is not even loaded. */
const noSchemas = () => () => {
  throw new Error('A route has a schema of Fastify, and nothing here compiles it.')
}

/** A caller's own id is kept when it is harmless, so that one id can be followed through several systems. */
export function genReqId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()
}

const loopback = /^(127\.|::1$|::ffff:127\.)/

/**
 * Whether a person sits at the server itself: the request comes from there, and was made to its own address. Behind a
 * proxy on the same machine everyone seems to come from there, but asks for a public name.
 */
export const isOnThisMachine = ({ ip, hostname }: { ip: string; hostname: string }): boolean =>
  loopback.test(ip) && /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(hostname)

/**
 * Plain HTTP carries tokens in the clear: it is served on this machine, or behind a trusted proxy that received the
 * request over https. It is not redirected, because a redirect would hide that a token has leaked already.
 */
export function isSecure(
  { headers, socket, protocol }: Pick<Remote, 'headers' | 'socket' | 'protocol'>,
  options: Pick<HttpOptions, 'tls' | 'trustProxy'>,
): boolean {
  if (options.tls) return true
  if (options.trustProxy.length > 0 && headers['x-forwarded-proto']) return protocol === 'https'
  return loopback.test(socket.remoteAddress ?? '')
}

/** Who is at the other end, and how they reach us. */
export interface Remote {
  headers: IncomingHttpHeaders
  socket: Pick<Socket, 'remoteAddress'>
  ip: string
  protocol: string
}

/** Reads it as Fastify does: proxies that are trusted are believed, others are not. */
export function remoteReader(trustProxy: string[]): (request: IncomingMessage) => Remote {
  const isTrusted = proxyAddr.compile(trustProxy)
  return (request) => {
    const { headers, socket } = request
    const own = { headers, socket, protocol: (socket as TLSSocket).encrypted ? 'https' : 'http' }
    if (trustProxy.length === 0) return { ...own, ip: socket.remoteAddress ?? '' }
    const forwarded = [headers['x-forwarded-proto']].flat().at(-1)
    const protocol =
      forwarded && isTrusted(socket.remoteAddress ?? '', 0)
        ? forwarded.split(',').at(-1)!.trim()
        : own.protocol
    return { ...own, protocol, ip: proxyAddr.all(request, isTrusted).at(-1) ?? '' }
  }
}

/**
 * Whether the system itself shares a port out among processes. Elsewhere node's primary hands connections on, and what
 * it has given to a worker that is killed in that moment stays open without an answer.
 */
export const sharesPorts: boolean = ['linux', 'freebsd', 'aix', 'sunos'].includes(process.platform)

/** The port that workers will share; fails if anyone has it. With port 0, one that is free. */
export async function unusedPort({ port, host }: { port: number; host: string }): Promise<number> {
  const probe = createServer().listen({ port, host })
  await once(probe, 'listening')
  const found = (probe.address() as AddressInfo).port
  probe.close()
  await once(probe, 'close')
  return found
}

const origins = new WeakMap<FastifyInstance['server'], string>()

/** Where a listening server is reached, from this machine. While it closes it still knows. */
export function originOf({ server }: FastifyInstance): string {
  const known = origins.get(server)
  if (known) return known
  const { address, port } = server.address() as AddressInfo
  const host = address.includes(':') ? `[${address}]` : address === '0.0.0.0' ? '127.0.0.1' : address
  const origin = `${server instanceof HttpsServer ? 'https' : 'http'}://${host}:${port}`
  origins.set(server, origin)
  return origin
}

/** Whose request it is when no token says so. An IPv6 subscriber has a whole /64. */
export function addressOf(ip: string): string {
  if (isIP(ip) !== 6 || ip.includes('.')) return ip
  const [head = '', tail = ''] = ip.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const groups = ip.includes('::')
    ? [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
    : left
  return groups.slice(0, 4).join(':')
}

/** An address in its shortest form: an IPv4 client of a socket for both is one of IPv4. */
export const plainAddress = (ip: string): string => ip.replace(/^::ffff:(?=[\d.]+$)/i, '')

declare module 'fastify' {
  interface FastifyRequest {
    /** Names what was asked for, in logs and metrics. Set by the route; `unknown` for a path that is none. */
    operation: string
  }
}
