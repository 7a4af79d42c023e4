import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errors } from '@signalbox/contract/error.ts'
import { type Remedy, remedyIn } from '@signalbox/contract/remedy.ts'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { lacksMonth } from '../../domain/record/audit/create-partitions.ts'
import { isDatabaseAway, isTooSlow, ReadTooSlow, UnguardedSession } from '../../infra/db/away.ts'
import type { RateLimiter } from '../../infra/http/rate-limit.ts'
import { addressOf } from '../../infra/http/server.ts'

/** Every error body: exactly code and message. Only what runners are told has something beside it. */
export const errorBody = (code: ErrorCode, message: string, beside: object = {}): string =>
  JSON.stringify({ error: { code, message }, ...beside })

/** What is told about a failure: to the caller what the caller can mend, to the log what is ours. */
export function errorAnswer(
  error: unknown,
  request: Failed,
): { status: number; headers: string[]; body: string } {
  const { code, message, beside } = publicErrorOf(error)
  const { status } = errors[code]
  if (status >= 500) logFailure(error, request)
  const remedy = error instanceof DomainError ? remedyIn(message) : null
  if (remedy) logRemedy(remedy, request)
  const help = remedy ? `<${remedy.doc}>; rel="help", ${helpLink(code)}` : helpLink(code)
  const headers = ['link', help, 'cache-control', 'no-store']
  headers.push('content-type', 'application/json; charset=utf-8')
  if (status === 401 && code !== 'not_signed_in' && code !== 'sign_in_failed')
    headers.push('www-authenticate', challenge(code))
  if (code === 'insufficient_scope') headers.push('www-authenticate', 'Bearer error="insufficient_scope"')
  if (status === 503) headers.push('retry-after', '1')
  return { status, headers, body: errorBody(code, message, beside) }
}

/** The same of a request that Fastify has. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error, request)
  const link = reply.getHeader('link')
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!)
  if (link) reply.header('link', [link, reply.getHeader('link')].join(', '))
  return reply.code(status).send(body)
}

/** What the log needs of a request that failed. */
interface Failed {
  id: string
  log: Pick<FastifyBaseLogger, 'info' | 'error'>
}

/** The operator is asked for it, and finds here what to set. */
const logRemedy = ({ setting, what, asks }: Remedy, { id: requestId, log }: Failed) =>
  log.info({ setting, what, reason: asks, requestId }, 'refused, which a setting can change')

/** What a sentence explains, as a tool that cannot be reached, is nothing that anyone has to mend in the code. */
function logFailure(error: unknown, { id: requestId, log }: Failed): void {
  if (error instanceof DomainError)
    log.info({ code: error.code, reason: error.message, requestId }, 'request refused')
  else log.error({ err: error, requestId }, 'request failed')
}

/**
 * The same as a sentence, which is all that git shows of a refusal. It is never 401: git would ask for a name and a
 * password then.
 */
export function sendSentence(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message } = publicErrorOf(error)
  const { status } = errors[code]
  if (status >= 500) logFailure(error, request)
  return reply
    .code(status === 401 ? 403 : status)
    .header('cache-control', 'no-store')
    .type('text/plain; charset=utf-8')
    .send(`${message}\n`)
}

const helpLink = (code: ErrorCode) => `</v1/errors#${code}>; rel="help"`

// RFC 6750: a request without a token is told only which scheme to use.
const challenge = (code: ErrorCode) => (code === 'missing_token' ? 'Bearer' : 'Bearer error="invalid_token"')

function publicErrorOf(error: unknown): { code: ErrorCode; message: string; beside?: object } {
  if (error instanceof DomainError) return error
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  if (statusCode === 413) return { code: 'payload_too_large', message: 'The request body is too large.' }
  if (statusCode === 415)
    return { code: 'unsupported_media_type', message: 'Send JSON, with Content-Type: application/json.' }
  if (code === 'FST_ERR_BAD_URL')
    return { code: 'invalid_request', message: 'The path is not valid: it must be UTF-8, percent-encoded.' }
  if (statusCode >= 400 && statusCode < 500)
    return { code: 'invalid_request', message: 'The request cannot be read.' }
  const unavailable = whyUnavailable(error)
  if (unavailable) return { code: 'service_unavailable', message: unavailable }
  return {
    code: 'internal_error',
    message: 'Something went wrong on our side. The server log has the details under this request ID.',
  }
}

/** What keeps the database from answering for now, for the caller; null: the fault is ours. */
export function whyUnavailable(error: unknown): string | null {
  if (error instanceof ReadTooSlow)
    return 'This takes too long. Narrow your search, or try again in a moment.'
  if (isTooSlow(error)) return 'This took too long. Try again in a moment.'
  if (isDatabaseAway(error)) return 'The database cannot be reached. Try again in a moment.'
  if (error instanceof UnguardedSession) return 'The database cannot be used. Try again in a moment.'
  if (lacksMonth(error)) return 'Storage for this month is not ready yet. Try again in a minute.'
  return null
}

/** A request that Node could not even parse never reaches a route; it still gets our body and headers. */
export function brokenRequest(error: NodeJS.ErrnoException, socket: Socket, strangers: RateLimiter): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else refuseOnSocket(socket, strangers, broken(error.code))
}

/** This server is no proxy. */
export const refuseToConnect = (socket: Duplex, strangers: RateLimiter): void =>
  refuseOnSocket(socket, strangers, { code: 'method_not_allowed', message: 'This server is not a proxy.' }, [
    'Allow: GET, HEAD, POST, PUT, OPTIONS',
  ])

function refuseOnSocket(
  socket: Duplex,
  strangers: RateLimiter,
  { code, message }: { code: ErrorCode; message: string },
  more: string[] = [],
): void {
  const quota = strangers.count(addressOf((socket as Socket).remoteAddress ?? ''))
  const body = errorBody(code, message)
  socket.on('error', () => {})
  socket.end(
    [
      `HTTP/1.1 ${errors[code].status} ${STATUS_CODES[errors[code].status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      `Link: ${helpLink(code)}`,
      'Connection: close',
      `X-Request-Id: ${randomUUID()}`,
      `X-RateLimit-Limit: ${quota.limit}`,
      `X-RateLimit-Remaining: ${quota.remaining}`,
      `X-RateLimit-Reset: ${quota.resetsAt}`,
      ...more,
      '',
      body,
    ].join('\r\n'),
  )
}

function broken(code: string | undefined): { code: ErrorCode; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { code: 'headers_too_large', message: 'The address and headers are larger than 16 KB.' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 'request_timeout', message: 'The request took too long to arrive.' }
  return { code: 'invalid_request', message: 'This is not a valid HTTP/1.1 request.' }
}
