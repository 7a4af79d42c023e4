import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a double was asked. */
export interface DoubleRequest {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** Parsed, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a double checks what it needs
  body: any
  raw: Buffer
  /** What the pattern's groups found. */
  params: string[]
}

export interface DoubleAnswer {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  text?: string
  /** What is neither, such as what git says. */
  bytes?: Buffer
}

type Handler = (request: DoubleRequest) => DoubleAnswer | Promise<DoubleAnswer>

/** Asked first: what it returns is the answer. */
type Guard = (request: DoubleRequest) => DoubleAnswer | undefined

export type Fault =
  | DoubleAnswer
  /** The connection breaks after half of the answer. */
  | 'half'
  /** The connection breaks before any of it. */
  | 'none'
  /** Nothing comes, until the other side gives up. */
  | 'silence'

/**
 * An outside tool as a real HTTP server on this machine: strict about who asks, with faults on command. Each tool adds
 * its routes; the demo uses the same.
 */
export class Double {
  readonly asked: DoubleRequest[] = []
  readonly #routes: { method: string; pattern: RegExp; handler: Handler; isPlayed: boolean }[] = []
  readonly #faults: { fault: Fault; times: number; when: RegExp }[] = []
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  /** Runs before every route: who may ask. */
  guard: Guard = () => undefined
  /** Goes with every answer, such as what is left of a limit. */
  always: () => Record<string, string> = () => ({})
  /** Waits before every answer, as a tool that is far away or busy. */
  delay: (() => Promise<void>) | null = null
  /** What happens once something was done, and before the answer is sent. */
  afterwards: (request: DoubleRequest) => unknown = () => {}
  /** Is told about each answer, such as one that holds it against what the tool publishes about itself. */
  answered: (request: DoubleRequest, answer: DoubleAnswer) => void = () => {}
  url = ''

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** The newest route of a path wins, so that a test can put one over another. */
  on(method: string, pattern: RegExp, handler: Handler): this {
    this.#routes.unshift({ method, pattern, handler, isPlayed: false })
    return this
  }

  /** The routes that have never been asked for with success. */
  get unplayed(): string[] {
    return this.#routes
      .filter(({ isPlayed }) => !isPlayed)
      .map(({ method, pattern }) => `${method} ${pattern.source}`)
  }

  /** Does this instead of answering, so many times. */
  fail(fault: Fault, { times = 1, when = /./ } = {}): void {
    this.#faults.push({ fault, times, when })
  }

  /** Ends whatever was to fail. */
  mend(): void {
    this.#faults.length = 0
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const { pathname, searchParams } = new URL(incoming.url!, 'http://double')
    const request: DoubleRequest = {
      ...{ method: incoming.method!, path: pathname, query: searchParams, headers: incoming.headers },
      ...{ body: parsed(raw), raw, params: [] },
    }
    this.asked.push(request)
    const found = this.#faults.find(
      ({ times, when }) => times > 0 && when.test(`${request.method} ${pathname}`),
    )
    if (found) found.times -= 1
    if (found?.fault === 'silence') return
    if (found?.fault === 'none') {
      response.destroy()
      return
    }
    await this.delay?.()
    const isHalf = found?.fault === 'half'
    const answer = found && !isHalf ? (found.fault as DoubleAnswer) : await this.#route(request)
    await this.afterwards(request)
    if (!found) this.answered(request, answer)
    const body =
      answer.bytes ?? (answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json))
    response.writeHead(answer.status ?? 200, {
      ...(answer.json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'content-length': Buffer.byteLength(body),
      ...this.always(),
      ...answer.headers,
    })
    if (isHalf) {
      response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy())
      return
    }
    response.end(body)
  }

  async #route(request: DoubleRequest): Promise<DoubleAnswer> {
    const refused = this.guard(request)
    if (refused) return refused
    for (const route of this.#routes) {
      const match = route.method === request.method ? route.pattern.exec(request.path) : null
      if (!match) continue
      const answer = await route.handler({ ...request, params: match.slice(1).map(decodeURIComponent) })
      if ((answer.status ?? 200) < 400) route.isPlayed = true
      return answer
    }
    return { status: 404, json: { message: 'Not Found' } }
  }
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    return undefined
  }
}

/** One page of a list. */
export function pageOf<T>(all: readonly T[], query: URLSearchParams, size = 30): T[] {
  const each = Math.min(Number(query.get('per_page') ?? size), 100)
  const number = Number(query.get('page') ?? 1)
  return all.slice((number - 1) * each, number * each)
}
