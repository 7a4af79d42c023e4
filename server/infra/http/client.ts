import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { request as tlsRequest } from 'node:https'
import { finished, pipeline, type Readable, Transform } from 'node:stream'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { activeSpan } from '../active-span.ts'
import { CallFailed, isTransientStatus } from './call-failed.ts'
import { keptConnections, type Pinned } from './kept-connections.ts'
import { type Address, guard, hostOf, type Resolve } from './reach.ts'

export interface ClientOptions {
  /** As people know whom it calls; otherwise its failures name the host. */
  name?: string
  /**
   * Hosts and networks that may be called although they are not on the public internet. `anywhere` is for addresses
   * that the operator set or that we know ourselves; one that others have a say in gets a list, if an empty one.
   */
  allow: 'anywhere' | readonly string[]
  /** And the host always proves who it is, even where the environment says that it need not. */
  httpsOnly?: boolean
  /** For all of it: the name, a turn, every redirect, the last byte. */
  timeoutMs: number
  /** Of the body. What is larger is refused, unless its beginning is enough. */
  maxBytes: number
  whenLarger?: 'refuse' | 'cut'
  /** None unless told; only for GET and HEAD. What is sent goes to whom it was meant for. */
  maxRedirects?: number
  /** Further calls wait for a turn. */
  maxConnections?: number
  /**
   * Keeps a connection for the next call to the same addresses. The host may close it just when that call is
   * made, which then is made once more: only for calls that do no harm when they arrive twice.
   */
  keepsConnections?: boolean
  userAgent?: string
  /** For tests: which addresses a host has, and where https leads. */
  resolve?: Resolve
  request?: typeof tlsRequest
}

interface Call {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** A name or a password in it is not sent. */
  url: string | URL
  /** Once a redirect has led to another origin they are left out. */
  headers?: Record<string, string>
  /** Sent as it is; `json` is written first. */
  body?: string | Buffer
  json?: unknown
  /** Instead of the client's own. */
  timeoutMs?: number
  /** Cancels the call; its reason is thrown. */
  signal?: AbortSignal
  /** What is an answer. Unless told, whatever neither leads elsewhere nor is a failure of the moment. */
  accept?: (status: number, headers: IncomingHttpHeaders) => boolean
}

/** What is sent and read as it comes, for what is too large to be held. */
interface StreamedCall extends Pick<Call, 'method' | 'url' | 'headers' | 'signal'> {
  body?: Readable | undefined
  /** Ends it when so long nothing moves either way. */
  idleMs: number
}

export interface StreamedResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The caller reads it to its end or destroys it: until then it takes up a connection. */
  body: Readable
}

interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Client {
  /** Calls once: it neither waits nor tries again. Throws a CallFailed for everything that is no answer. */
  request(call: Call): Promise<HttpResponse>
  /** The same without holding what goes through. Whatever the status, it is an answer; no redirect is followed. */
  stream(call: StreamedCall): Promise<StreamedResponse>
}

export const isRedirect = (status: number, { location }: IncomingHttpHeaders): boolean =>
  location !== undefined && [301, 302, 303, 307, 308].includes(status)

/** The one way by which we call others over HTTP. */
export function createClient(options: ClientOptions): Client {
  const open = opening(options)
  const turns = turnsOf(options.maxConnections ?? Number.POSITIVE_INFINITY)
  const failedAt =
    (host: () => string): Failed =>
    (because, what, more) =>
      new CallFailed({ name: options.name, host: host(), because, what, ...more })
  return {
    async request(call) {
      const timeoutMs = call.timeoutMs ?? options.timeoutMs
      const ending = endingAfter(timeoutMs, call.signal)
      const { signal } = ending
      const failed = failedAt(() => host)
      const most = follows(call) ? (options.maxRedirects ?? 0) : 0
      let host = 'The other side'
      let done = () => {}
      try {
        if (!URL.canParse(`${call.url}`))
          throw failed('not http', 'cannot be called: the address is not valid')
        const first = new URL(call.url)
        host = hostOf(first)
        done = await turns.take(signal)
        let sent = call
        for (let url = first, hop = 0; ; hop += 1) {
          host = hostOf(url)
          if (url.origin !== first.origin) sent = { url, method: call.method }
          const opening = open(url, sent, { signal, failed })
          const part = { type: 'call', method: sent.method ?? 'GET', host } as const
          const response = await (activeSpan()?.follow(part, opening) ?? opening)
          const { statusCode: status = 0, headers } = response
          if ((call.accept ?? isFinal)(status, headers))
            return { status, headers, text: await read(response, options, failed) }
          response.destroy()
          url = next(url, response, { hop, most, failed })
        }
      } catch (error) {
        call.signal?.throwIfAborted()
        throw failureOf(error, { failed, ending, timeoutMs })
      } finally {
        done()
        ending.clear()
      }
    },
    async stream({ idleMs, ...call }) {
      const { timeoutMs, maxBytes } = options
      const ending = endingAfter(timeoutMs, call.signal)
      const { signal } = ending
      let done = () => {}
      const end = () => {
        done()
        ending.clear()
      }
      const url = new URL(call.url)
      const failed = failedAt(() => hostOf(url))
      try {
        done = await turns.take(signal)
        const response = await open(url, call, { signal, failed, idleMs })
        const body = measured(maxBytes, failed)
        pipeline(response, body, () => {})
        finished(body, end)
        return { status: response.statusCode ?? 0, headers: response.headers, body }
      } catch (error) {
        end()
        call.signal?.throwIfAborted()
        throw failureOf(error, { failed, ending, timeoutMs })
      }
    },
  }
}

/** Why a call brought no answer. */
function failureOf(
  error: unknown,
  { failed, ending, timeoutMs }: { failed: Failed; ending: Ending; timeoutMs: number },
): CallFailed {
  if (error instanceof CallFailed) return error
  if (ending.isTooLate()) return failed('timeout', `did not answer within ${timeoutMs / 1000} seconds`)
  // Of the error only its code is told; its message may hold addresses.
  const { code } = error as NodeJS.ErrnoException
  return failed('unreachable', `cannot be reached${code ? ` (${code})` : ''}`, { code })
}

/** Passes on what comes, as fast as it is taken, until it is too much. */
function measured(maxBytes: number, failed: Failed): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, passed) {
      size += chunk.length
      if (size > maxBytes) passed(failed('too large', `sent a response of more than ${maxBytes / 1000} kB`))
      else passed(null, chunk)
    },
  })
}

type Failed = (
  because: CallFailed['because'],
  what: string,
  more?: { code?: string | undefined; status?: number; retryAfterMs?: number | null },
) => CallFailed

const isFinal: NonNullable<Call['accept']> = (status, headers) =>
  !isRedirect(status, headers) && !isTransientStatus(status)

const follows = ({ method = 'GET' }: Call) => method === 'GET' || method === 'HEAD'

interface Underway {
  signal: AbortSignal
  failed: Failed
  /** Only of what is streamed: the rest has little time as it is. */
  idleMs?: number
}

/** Sends one request and returns when the headers of its answer are there. */
function opening(options: ClientOptions) {
  const reach = options.allow === 'anywhere' ? null : guard(options.allow, options.resolve)
  const ways: Record<string, typeof plainRequest> = dictionary({
    ...(options.httpsOnly ? {} : { 'http:': plainRequest }),
    'https:': (options.request ?? tlsRequest) as typeof plainRequest,
  })
  // Without an agent each call has a connection of its own, to the addresses that were checked for it.
  const kept = options.keepsConnections ? keptConnections() : null
  const always = options.httpsOnly ? { rejectUnauthorized: true } : {}

  return async (
    url: URL,
    call: Call | Omit<StreamedCall, 'idleMs'>,
    { signal, failed, idleMs }: Underway,
  ): Promise<IncomingMessage> => {
    const send = ways[url.protocol]
    if (!send)
      throw failed('not http', `leads to an address that is not ${options.httpsOnly ? '' : 'http or '}https`)
    const addresses = reach && (await aborting(reach(url), signal))
    if (addresses === 'no address') throw failed(addresses, 'has no address')
    if (addresses === 'not public') throw failed(addresses, 'is not on the public internet')
    const json = 'json' in call ? call.json : undefined
    const plain = new URL(url)
    plain.username = ''
    plain.password = ''
    const headers = {
      'user-agent': options.userAgent ?? 'Signalbox',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    }
    const pinned = addresses ? { lookup: lookupOf(addresses) } : {}
    const body = json === undefined ? call.body : JSON.stringify(json)
    const asked: RequestOptions & Pinned = {
      ...always,
      ...pinned,
      ...{ pinned: addresses, method: call.method ?? 'GET', headers, signal },
    }
    const sent = (agent: Agent | false) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const request = send(plain, { ...asked, agent }, resolve).on('error', (error) =>
          reject(request.reusedSocket && isClosed(error) ? closedBefore : error),
        )
        if (idleMs !== undefined)
          request.setTimeout(idleMs, () =>
            request.destroy(failed('timeout', `sent nothing for ${idleMs / 1000} seconds`)),
          )
        // Where it breaks, the request does, too.
        if (typeof body === 'object' && 'pipe' in body) pipeline(body, request, () => {})
        else request.end(body)
      })
    // What is streamed can be sent once, so it gets a new connection.
    if (idleMs !== undefined) return sent(false)
    const agent = kept?.[url.protocol as keyof typeof kept] ?? false
    return sent(agent).catch((error) => {
      if (error !== closedBefore) throw error
      return sent(false)
    })
  }
}

/** The other side had closed the connection that was kept. */
const closedBefore = Symbol('closed before')

const isClosed = ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' || code === 'EPIPE'

/** Answers with the addresses that were checked, whatever the name server would say now. */
export const lookupOf =
  (addresses: Address[]): NonNullable<RequestOptions['lookup']> =>
  (_, { all }, found) =>
    all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family)

/** Where a redirect leads, if it is one that may be followed. */
function next(
  url: URL,
  { statusCode: status = 0, headers }: IncomingMessage,
  { hop, most, failed }: { hop: number; most: number; failed: Failed },
): URL {
  if (most === 0 || !isRedirect(status, headers))
    throw failed('status', `answered with status ${status}`, { status, retryAfterMs: retryAfterMs(headers) })
  if (hop === most) throw failed('redirects', `redirects more than ${most} times`)
  if (!URL.canParse(headers.location!, url.href))
    throw failed('redirects', 'redirects to an address that is not valid')
  return new URL(headers.location!, url)
}

/** Seconds, or a time, which is understood by the clock of its sender. */
export function retryAfterMs({ 'retry-after': after, date }: IncomingHttpHeaders): number | null {
  if (after === undefined) return null
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1000
  if (!after.endsWith(' GMT')) return null
  const waitMs = Date.parse(after) - (date ? Date.parse(date) : Date.now())
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs)
}

/** Leaving the loop closes the connection: the rest is not read. */
async function read(
  response: IncomingMessage,
  { maxBytes, whenLarger }: ClientOptions,
  failed: Failed,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (whenLarger === 'cut' && size >= maxBytes) break
    if (size > maxBytes) throw failed('too large', `sent a response of more than ${maxBytes / 1000} kB`)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

type Ending = ReturnType<typeof endingAfter>

/** Ends a call when its time is over, or it is cancelled. */
function endingAfter(timeoutMs: number, wanted: AbortSignal | undefined) {
  const ending = new AbortController()
  let isTooLate = false
  const timer = setTimeout(() => {
    isTooLate = true
    ending.abort()
  }, timeoutMs).unref()
  const abort = () => ending.abort(wanted?.reason)
  if (wanted?.aborted) abort()
  else wanted?.addEventListener('abort', abort, { once: true })
  return {
    signal: ending.signal,
    isTooLate: () => isTooLate,
    clear() {
      clearTimeout(timer)
      wanted?.removeEventListener('abort', abort)
    },
  }
}

/** So many at a time. A cancelled wait leaves the turn to the next. */
function turnsOf(most: number) {
  let taken = 0
  const waiting = new Set<() => void>()
  const release = () => {
    taken -= 1
    for (const wake of waiting) wake()
  }
  return {
    async take(signal: AbortSignal): Promise<() => void> {
      while (taken >= most) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await aborting(promise, signal).finally(() => waiting.delete(resolve))
      }
      taken += 1
      return release
    },
  }
}

/** Some awaited work cannot be cancelled, such as a question to the name server, but it need not be waited for. */
function aborting<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}
