import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import type { Time } from '../time.ts'
import { Refused, Unreachable } from './failures.ts'

export interface CallOptions {
  url: URL
  token: string
  version: string
  time: Time
}

interface Call {
  method: 'GET' | 'POST' | 'PUT'
  /** Below `/runner/v1/`. */
  path: string
  headers?: Record<string, string>
  body?: Buffer
  /** From the first byte sent to the last one read: an answer that trickles is cut, too. */
  deadlineSeconds: number
  /** Of the answer. */
  maxBytes: number
  signal?: AbortSignal | undefined
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** Makes calls over connections of its own. */
export interface Line {
  call(call: Call): Promise<Answer>
  close(): void
}

/** What the path of every call follows. */
export const baseOf = (url: URL): string => trimEnd(url.href, '/')

/**
 * A line to the server. Redirects are not followed: the token would leave with them. It calls once:
 * retries are up to the caller.
 */
export function openLine({ url, token, version, time }: CallOptions): Line {
  const isTls = url.protocol === 'https:'
  const agent = new (isTls ? TlsAgent : PlainAgent)({ keepAlive: true })
  const send = isTls ? tlsRequest : plainRequest
  const base = baseOf(url)

  const once = (call: Call, signal: AbortSignal) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'user-agent': `signalbox-runner/${version}`,
        'signalbox-runner': version,
        ...(call.body ? { 'content-length': `${call.body.length}` } : {}),
        ...call.headers,
      }
      const request = send(
        `${base}/runner/v1/${call.path}`,
        { agent, method: call.method, headers, signal },
        (response) => {
          read(response, call.maxBytes).then(
            (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
            reject,
          )
        },
      )
      request.on('error', (error) =>
        reject(request.reusedSocket && isCut(error) ? new Stale('', { cause: error }) : error),
      )
      request.end(call.body)
    })

  return {
    async call(call) {
      const late = AbortSignal.timeout(time.milliseconds(call.deadlineSeconds))
      const signal = call.signal ? AbortSignal.any([call.signal, late]) : late
      try {
        // A kept connection that the server has closed since says nothing about the server.
        const answer = await once(call, signal).catch((error) => {
          if (error instanceof Stale) return once(call, signal)
          throw error
        })
        return judged(answer)
      } catch (error) {
        call.signal?.throwIfAborted()
        if (error instanceof Unreachable || error instanceof Refused) throw error
        if (late.aborted)
          throw new Unreachable(`${url.host} did not answer within ${call.deadlineSeconds} seconds`)
        const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
        throw new Unreachable(`${url.host} cannot be reached${code ? ` (${code})` : ''}`)
      }
    },
    close: () => agent.destroy(),
  }
}

class Stale extends Error {}

const isCut = (error: Error) => ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

async function read(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) throw new Unreachable(`the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What is an answer comes back; what is none is thrown, by whether the same call may be made again. */
function judged(answer: Answer): Answer {
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) return answer
  const told = parsed(body)
  const retryAfterSeconds = retryAfter(headers['retry-after'])
  const message = told.error?.message ?? `the server answered with status ${status}`
  if (status >= 500 || status === 429 || status === 408) throw new Unreachable(message, retryAfterSeconds)
  if (status >= 300 && status < 400)
    throw new Refused(`the server redirects to ${headers.location}; give that address as --url`, {
      status,
      code: null,
      retryAfterSeconds,
      next: null,
    })
  const next = Number.isSafeInteger(told.next) ? told.next! : null
  throw new Refused(message, {
    status,
    code: told.error?.code ?? null,
    retryAfterSeconds,
    next,
    isStop: told.verdict === 'stop',
  })
}

interface Told {
  error?: { code?: string; message?: string }
  next?: number
  verdict?: string
}

function parsed(body: Buffer): Told {
  try {
    const told = JSON.parse(body.toString())
    return typeof told === 'object' && told !== null ? told : {}
  } catch {
    return {}
  }
}

/** In seconds, as the protocol says; a date is no interval. */
const retryAfter = (header: string | undefined) =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null
