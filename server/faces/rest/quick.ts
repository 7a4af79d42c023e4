import type { IncomingMessage } from 'node:http'
import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { FastifyInstance } from 'fastify'
import type { TokenHolder } from '../../domain/tokens/authenticate.ts'
import { encodingFor, worthCompressing } from '../../infra/http/compress.ts'
import type { Quota } from '../../infra/http/rate-limit.ts'
import { genReqId, takeFirst } from '../../infra/http/server.ts'
import {
  callerOf,
  contextOf,
  countOnce,
  holderAtOnce,
  isCounted,
  type TokenServices,
} from '../http/bearer.ts'
import { queryReader } from '../http/input.ts'
import { routes } from './routes.ts'
import { Body, cacheControl, jsonType, type Route, type Sendable, type Tools, vary } from './v1/route.ts'

/** A read whose parameters are plain, so that nothing in it has to be decoded. */
interface Read {
  route: Route
  pattern: RegExp
  queryOf: (raw: unknown) => Record<string, unknown>
}

interface Match {
  read: Read
  params: Record<string, string>
}

/** What is asked of a read, once nothing speaks against answering it. */
interface Asked {
  route: Route
  holder: TokenHolder
  params: Record<string, string>
  query: Record<string, unknown>
}

/**
 * The shortest way for what programs ask over and over: one thing or a page, with a token that this node knows. All that
 * is written here is a 200. Everything else goes the usual way and is answered there, whatever it is: a parameter that is
 * wrong, a token that is, a thing that is not there, a cache that may have it already, a page of another site.
 */
export function readQuickly(app: FastifyInstance, services: TokenServices & Tools): void {
  const turn = new Turn()
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  takeFirst(app, (request, response, usual) => {
    const begun = performance.now()
    const asked = closing ? undefined : askedBy(services, request)
    if (!asked || !app.quickly.isPossible(request)) return usual(request, response)
    const { route, holder, params, query } = asked
    const goOn = (quota: Quota) => {
      // Refusing is for the usual way. It finds the same, for what is refused is not counted.
      if (quota.refused) return usual(request, response)
      const id = genReqId(request)
      const input = { params, query: query as never, body: undefined as never, idempotencyKey: undefined }
      const respond = () => route.respond(contextOf(services, holder, 'api', id), input, services)
      const answer = (body: Body, payload: string | Buffer, encoding?: string) => {
        const headers = ['vary', vary, 'etag', body.etag, 'cache-control', cacheControl, ...plain]
        if (encoding) headers.push('content-encoding', encoding)
        const said = { id, operation: route.operation, caller: callerOf(holder, 'api'), begun, quota }
        app.quickly.answer(request, response, { ...said, status: 200, headers, body: payload })
      }
      const send = (sendable: Sendable) => {
        if (!(sendable instanceof Body)) throw new Error('A file goes the usual way.')
        const encoding = worthCompressing(sendable.json)
          ? encodingFor(request.headers['accept-encoding'])
          : null
        if (!encoding) return answer(sendable, sendable.payload)
        return sendable.compressed(encoding).then((bytes) => answer(sendable, bytes, encoding))
      }
      turn
        .share(`${holder.tokenId} ${request.url}`, respond)
        .then(send)
        .catch((error) => {
          // The usual way could no longer say anything.
          if (response.headersSent) return
          isCounted(request, quota)
          failures.set(request, error)
          usual(request, response)
        })
    }
    const counted = countOnce(services, holder, request)
    if (counted instanceof Promise) counted.then(goOn)
    else goOn(counted)
  })
}

const failures = new WeakMap<IncomingMessage, unknown>()

/** Throws what was in the way of a read on the short way: how it is told is known on the usual one, and it is not tried twice. */
export function failAsBefore(request: IncomingMessage): void {
  if (failures.has(request)) throw failures.get(request)
}

/**
 * Requests of one turn of the event loop that ask the same thing with the same token get the same answer. It is asked
 * for after all of them have come: the reader of the database sends what has gathered at the end of the turn, and this
 * one, whose end was noted before, takes nobody in after that.
 */
class Turn {
  readonly #asked = new Map<string, Promise<Sendable>>()

  share(question: string, respond: () => Promise<Sendable>): Promise<Sendable> {
    const same = this.#asked.get(question)
    if (same) return same
    if (this.#asked.size === 0) setImmediate(() => this.#asked.clear())
    const answer = respond()
    this.#asked.set(question, answer)
    return answer
  }
}

const plain = ['content-type', jsonType, 'access-control-allow-origin', '*']

/** Nothing that changes with its use, is a file, or has to tell of its successor. */
const reads: Read[] = routes
  .filter(({ method, head, files, deprecated }) => method === 'GET' && head && !files && !deprecated)
  .map((route) => ({ route, pattern: patternOf(route), queryOf: queryReader(route.query) }))

/** The path as a whole, with each parameter as its schema wants it: one that is not so goes the usual way. */
function patternOf({ path, params }: Route): RegExp {
  const segments = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const shape = params[name]!.schema.pattern!.replace(/^\^|\$$/g, '')
    return `(?<${name}>${shape})`
  })
  return new RegExp(`^${segments}$`)
}

/** Letters that stand for themselves. */
const plainQuery = /^(?:[\w.~-]+=[\w.~:-]+)(?:&[\w.~-]+=[\w.~:-]+)*$/

function askedBy(services: TokenServices, request: IncomingMessage): Asked | undefined {
  const { method, headers, url = '' } = request
  if (method !== 'GET' || !url.startsWith('/v1/')) return undefined
  if (headers.origin !== undefined || headers['if-none-match'] !== undefined) return undefined
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return undefined
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const text = mark < 0 ? '' : url.slice(mark + 1)
  const found = matching(path)
  if (!found || (mark >= 0 && !plainQuery.test(text))) return undefined
  const { route, queryOf } = found.read
  const holder = holderAtOnce(services, request, route.permission)
  if (!holder || (route.role && !isAtLeast(holder.role, route.role.least))) return undefined
  const query = text === '' ? {} : parametersOf(text)
  try {
    return query && { route, holder, params: found.params, query: queryOf(query) }
  } catch {
    return undefined
  }
}

const known = new Map<string, Match>()
const mostKnown = 1_000

/** What is asked for often is found at once. */
function matching(path: string): Match | null {
  const before = known.get(path)
  if (before !== undefined) return before
  const found = find(path)
  // What no path is that can be answered here is not worth keeping: there is no end to them.
  if (!found || path.length > 100) return found
  if (known.size >= mostKnown) known.clear()
  known.set(path, found)
  return found
}

function find(path: string): Match | null {
  for (const read of reads) {
    const params = read.pattern.exec(path)?.groups
    if (read.route.path === path || params) return { read, params: params ?? {} }
  }
  return null
}

/** By name; undefined where one is given twice. */
function parametersOf(text: string): Record<string, string> | undefined {
  // Without a prototype every name is one, `__proto__` as well.
  const parameters: Record<string, string> = Object.create(null)
  for (const pair of text.split('&')) {
    const [name, value] = pair.split('=') as [string, string]
    if (name in parameters) return undefined
    parameters[name] = value
  }
  return parameters
}
