import type { IncomingHttpHeaders } from 'node:http'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import {
  type CallLimit,
  type CallOutcome,
  type Connection,
  ToolBusy,
  ToolRefused,
} from '../../domain/ports/connection.ts'
import type { Clock } from '../../infra/clock.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { type Client, createClient } from '../../infra/http/client.ts'
import { allowList, hostOf } from '../../infra/http/reach.ts'
import { authorizing } from './authorize.ts'
import { failureWithin } from './failure-within.ts'

export interface ToolRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Begins with a slash and follows the base URL; the caller has to encode its parts. */
  path: string
  query?: Record<string, string | number | boolean | undefined>
  json?: unknown
  headers?: Record<string, string>
  /** Asked for to see more than is needed: that it is forbidden says nothing about the health of the connection. */
  mayBeForbidden?: boolean
}

interface ToolAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** Parsed, where it is JSON; the text otherwise; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is checked where it is used
  body: any
}

/**
 * One call to an outside tool. It is made once: it neither waits nor tries again, the outbox does. Throws ToolRefused
 * for what would be refused again, ToolBusy for what may pass.
 */
export type Call = (connection: Connection, request: ToolRequest) => Promise<ToolAnswer>

export interface CallerOptions {
  /** What the operator opens beside the public internet. */
  allow: readonly string[]
  clock: Clock
  /** Is told how each call went. */
  note?: (connection: Connection, outcome: CallOutcome) => Promise<void>
  /** Is asked before each write, and lets it wait where the tool wants us slower; ends the write. */
  pace?: (connection: Connection) => Promise<() => Promise<void>>
  /** For tests. */
  timeoutMs?: number
}

const mostRedirects = 3
/** Shorter words are no secrets, and are in many a sentence. */
const leastSecret = 12

export function callerFor({ allow, clock, note, pace, timeoutMs = 10_000 }: CallerOptions): Call {
  // A page of a hundred issues, each as long as the tools allow.
  const client = createClient({ allow, timeoutMs, maxBytes: 16 * 1024 * 1024 })
  const refusePlain = refusePlainHttp(allow)
  const authorize = authorizing(clock, (connection, request, headers) => send(connection, request, headers))

  /** Without a credential of its own: `headers` has it. */
  async function send(
    connection: Connection,
    request: ToolRequest,
    headers: Record<string, string>,
  ): Promise<ToolAnswer> {
    const tool = toolNames[connection.kind]
    const url = addressOf(connection, request)
    refusePlain(url, tool)
    const response = await requested(client, tool, { connection, url, request, headers, clock })
    const { status } = response
    const limit = limitIn(response.headers)
    const told = limit ? { limit } : {}
    if (status < 300 || status === 304) {
      const body = bodyOf(response)
      if (body === unreadable)
        throw new ToolBusy(`${tool} sent a response that can’t be read.`, null, clock.now())
      const within = failureWithin(connection.kind, request.path, body, clock.now())
      await note?.(connection, {
        ...(within ? outcomeOf(within.failure, request) : { result: 'done' }),
        ...told,
      })
      if (within?.isWhole) throw within.failure
      return { status, headers: response.headers, body }
    }
    const text = masked(response.text, [...Object.values(connection.credentials), ...Object.values(headers)])
    const failure = failureOf(tool, { ...response, text }, limit, clock.now())
    await note?.(connection, { ...outcomeOf(failure, request), ...told })
    throw failure
  }

  return async (connection, request) => {
    const end = pace && isWrite(request) ? await pace(connection) : null
    try {
      return await send(connection, request, await authorize(connection))
    } catch (error) {
      // What was answered has been noted; what never got an answer has not.
      if (error instanceof Unanswered) await note?.(connection, outcomeOf(error.failure, request))
      throw error instanceof Unanswered ? error.failure : error
    } finally {
      await end?.()
    }
  }
}

/** Credentials go over plain http only where the operator has opened the way. */
export function refusePlainHttp(allow: readonly string[]): (url: URL, tool: string) => void {
  const opened = allowList(allow)
  return (url, tool) => {
    const host = hostOf(url)
    if (url.protocol === 'http:' && !opened.hasHost(host) && !opened.hasAddress(host))
      throw new ToolRefused(
        'invalid',
        `The connection to ${tool} would not be encrypted. Use an https address. ${asksFor('CONNECTION_ALLOW', host)}`,
      )
  }
}

/** What a failure says about the account: a missing issue is no illness. */
export function outcomeOf(
  failure: ToolBusy | ToolRefused,
  { mayBeForbidden }: Pick<ToolRequest, 'mayBeForbidden'> = {},
): CallOutcome {
  if (failure instanceof ToolBusy) return { result: 'busy', message: failure.message }
  const { reason, message, extent } = failure
  const isAboutUs = extent !== 'thing' && !(mayBeForbidden && reason === 'forbidden')
  return isAboutUs ? { result: 'refused', message, reason, extent } : { result: 'answered' }
}

/** Tools quote what they were sent, and git hosts' words are shown to people: none of it is a secret of ours. */
const masked = (text: string, secrets: string[]): string =>
  secrets
    .flatMap((secret) => [secret, ...secret.split(' ')])
    .filter(({ length }) => length >= leastSecret)
    .reduce((said, secret) => said.replaceAll(secret, '***'), text)

/** What creates or changes something people see. What GraphQL is asked is a query or says that it is none. */
function isWrite({ method = 'GET', path, json }: ToolRequest): boolean {
  if (method === 'GET' || /\/access_tokens$|\/attempts$|^\/app-manifests\//.test(path)) return false
  return path !== '/graphql' || /^\s*mutation\b/.test((json as { query?: string } | undefined)?.query ?? '')
}

/** Nothing came back. */
class Unanswered extends Error {
  readonly failure: ToolBusy | ToolRefused

  constructor(failure: ToolBusy | ToolRefused) {
    super(failure.message)
    this.failure = failure
  }
}

function addressOf({ baseUrl }: Connection, { path, query }: ToolRequest): URL {
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, `${value}`)
  return url
}

interface Sending {
  connection: Connection
  url: URL
  request: ToolRequest
  headers: Record<string, string>
  clock: Clock
}

/** Follows redirects of what is read, within the host: a repository that was renamed is one. */
async function requested(client: Client, tool: string, { url, request, headers, clock }: Sending) {
  try {
    for (let at = url, hop = 0; ; hop += 1) {
      const response = await client.request({
        url: at,
        method: request.method,
        headers: { ...headers, ...request.headers },
        ...(request.json === undefined ? {} : { json: request.json }),
        accept: () => true,
      })
      const { location } = response.headers
      const isRead = (request.method ?? 'GET') === 'GET'
      if (![301, 302, 307, 308].includes(response.status) || !location || !isRead) return response
      const next = URL.canParse(location, at.href) ? new URL(location, at) : null
      if (next?.origin !== url.origin || hop === mostRedirects) return response
      at = next
    }
  } catch (error) {
    throw error instanceof CallFailed ? new Unanswered(noAnswerError(tool, error, clock.now())) : error
  }
}

/** What it means that nothing came back. */
export function noAnswerError(tool: string, error: CallFailed, now: Date): ToolBusy | ToolRefused {
  if (error.because === 'not public')
    return new ToolRefused(
      'forbidden',
      `${error.host} is not on the public internet. ${asksFor('CONNECTION_ALLOW', error.host)}`,
      { extent: 'account' },
    )
  return error.mayPass || error.because === 'too large'
    ? new ToolBusy(`${tool} ${error.what}.`, error.retryAfterMs, now)
    : new ToolRefused('invalid', `${tool} ${error.what}.`, { extent: 'account' })
}

const unreadable = Symbol('unreadable')

function bodyOf({ headers, text }: { headers: IncomingHttpHeaders; text: string }): unknown {
  if (text === '') return undefined
  if (!/[/+]json\b/.test(headers['content-type'] ?? '')) return text
  try {
    return JSON.parse(text)
  } catch {
    return unreadable
  }
}

/** What an answer that is none means. Of what the tool wrote nothing is repeated: it may quote anything. */
export function failureOf(
  tool: string,
  response: { status: number; headers: IncomingHttpHeaders; text: string },
  limit: CallLimit | null,
  now: Date,
): ToolBusy | ToolRefused {
  const { status, headers, text } = response
  const parsed = bodyOf(response)
  const answer = parsed === unreadable ? undefined : parsed
  const waitMs = retryAfterMs(headers, now)
  const isSpent = limit?.left === 0
  const isLimit =
    status === 429 ||
    (status === 403 && (waitMs !== null || isSpent || /secondary rate limit|abuse detection/i.test(text))) ||
    (status === 400 && /"RATELIMITED"/.test(text))
  if (isLimit) {
    // By the clock that named the time, which may be ahead of ours or behind.
    const theirs = Date.parse(headers.date ?? '') || now.getTime()
    const untilReset = limit?.resetsAt ? Math.max(0, limit.resetsAt.getTime() - theirs) : null
    // GitHub asks for a minute where it says nothing else.
    return new ToolBusy(
      `${tool} says we called too often.`,
      waitMs ?? (isSpent ? untilReset : null) ?? 60_000,
      now,
    )
  }
  if (status >= 500 || status === 408)
    return new ToolBusy(`${tool} answered with status ${status}.`, waitMs, now)
  const more = { status, answer }
  if (status === 401 || (status === 400 && /"AUTHENTICATION_ERROR"/.test(text)))
    return new ToolRefused(
      'unauthorized',
      `${tool} rejected the credentials (status 401). Replace them.`,
      more,
    )
  if (status === 403)
    return new ToolRefused('forbidden', `${tool} doesn’t allow this account to do that (status 403).`, more)
  if (status === 404 || status === 410)
    return new ToolRefused(
      'not_found',
      `${tool} doesn’t have that, or hides it from this account (status ${status}).`,
      more,
    )
  if (status === 405 || status === 409 || status === 412)
    return new ToolRefused('conflict', `${tool} can’t do that right now (status ${status}).`, more)
  if (status < 400)
    return new ToolRefused(
      'not_found',
      `${tool} redirects to another address (status ${status}). Check the URL.`,
      more,
    )
  return new ToolRefused('invalid', `${tool} didn’t accept the request (status ${status}).`, more)
}

const headerOf = (headers: IncomingHttpHeaders, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function retryAfterMs(headers: IncomingHttpHeaders, now: Date): number | null {
  const after = headerOf(headers, 'retry-after')
  if (after === undefined) return null
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1000
  const at = Date.parse(after)
  return Number.isNaN(at) ? null : Math.max(0, at - (Date.parse(headers.date ?? '') || now.getTime()))
}

/** Each of the tools names them otherwise; the time is in seconds, in milliseconds, or written out. */
function limitIn(headers: IncomingHttpHeaders): CallLimit | null {
  const named = (what: string) =>
    headerOf(headers, `x-ratelimit-${what}`, `ratelimit-${what}`, `x-ratelimit-requests-${what}`)
  const whole = (value: string | undefined) => (value && /^\d{1,9}$/.test(value) ? Number(value) : null)
  const left = whole(named('remaining'))
  if (left === null) return null
  const reset = named('reset') ?? ''
  const at = /^\d{9,14}$/.test(reset) ? Number(reset) * (reset.length > 11 ? 1 : 1000) : Date.parse(reset)
  return { left, of: whole(named('limit')), resetsAt: Number.isNaN(at) ? null : new Date(at) }
}
