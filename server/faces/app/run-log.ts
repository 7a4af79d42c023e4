import { Readable } from 'node:stream'
import type { LogPiece } from '@signalbox/contract/app/runs.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import { findSession } from '../../domain/people/find-session.ts'
import { findLog, type LogLine, type LogStanding, readLog } from '../../domain/runs/log/read.ts'
import { type EventStream, endEventStreams, openEventStream } from '../../infra/http/event-stream.ts'
import { type AppServices, contextOf } from './app.ts'
import { sessionToken } from './cookie.ts'
import { LogWatch } from './log-watch.ts'

const rowsAtOnce = 500
const pieceBytes = 60_000

/**
 * The log of a run: as a stream that tells what is there and then what comes, until the run is over; and as a file.
 * A stream is open only while somebody looks. After a break the browser says which line it had last.
 */
export function runLogFace(app: FastifyInstance, services: AppServices): void {
  const watch = new LogWatch((error) => app.log.warn({ err: error }, 'a log could not be read'))

  app.get('/api/w/:workspace/runs/:run/log', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'runs.log'
    const ctx = await contextOf(services, request)
    const after = positionOf(request)
    const { run: key, workspace } = request.params as { run: string; workspace: string }
    const standing = await findLog(ctx, { key })
    const token = sessionToken(request.headers, services.cookieKey, services.isHttps)!
    const stream = openEventStream(request, reply, async () => {
      // A session that was revoked, or a member who has left, reads no further.
      const person = await findSession(services, token, workspace).catch(() => undefined)
      if (person !== undefined && !person?.workspace) stream.end()
    })
    const teller = new Teller(ctx, stream, after)
    const stop = watch.listen(ctx, standing.runId, (now) => teller.tell(now))
    stream.onClose(stop)
    await teller.tell(standing)
  })

  app.get('/api/w/:workspace/runs/:run/log.txt', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'runs.log.txt'
    const ctx = await contextOf(services, request)
    const { run: key } = request.params as { run: string }
    const standing = await findLog(ctx, { key })
    return reply
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .header('content-disposition', `attachment; filename="${key}.log.txt"`)
      .type('text/plain; charset=utf-8')
      .send(Readable.from(pagesOf(ctx, standing)))
  })

  app.addHook('preClose', async () => endEventStreams(app))
}

/** The line after which to go on: what the browser had last, else what the address says. */
function positionOf(request: FastifyRequest): number {
  const last = request.headers['last-event-id']
  const { after } = request.query as { after?: unknown }
  const given = typeof last === 'string' && last !== '' ? last : (after ?? '0')
  if (typeof given === 'string' && /^\d{1,9}$/.test(given)) return Number(given)
  throw new DomainError('invalid_request', '`after` must be the number of a line.')
}

async function* pagesOf(ctx: Context, { runId, lines }: LogStanding): AsyncGenerator<string> {
  for (let position = 0; position < lines; ) {
    const rows = await readLog(ctx, runId, position, rowsAtOnce)
    if (rows.length === 0) return
    position = rows.at(-1)!.position
    yield rows.map(({ text }) => `${text}\n`).join('')
  }
}

/** Tells one listener of a log, in order and no faster than is listened. */
class Teller {
  readonly #ctx: Context
  readonly #stream: EventStream
  #position: number
  #now: LogStanding | undefined
  #isTelling = false

  constructor(ctx: Context, stream: EventStream, after: number) {
    this.#ctx = ctx
    this.#stream = stream
    this.#position = after
  }

  async tell(now: LogStanding): Promise<void> {
    this.#now = now
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      // While a slow listener was told, more may have come.
      while (!this.#stream.closed && this.#position < this.#now.lines) await this.#tellSome()
      if (!this.#stream.closed && this.#now.isOver) {
        this.#stream.send({ id: String(this.#position), event: 'end', data: {} })
        this.#stream.end()
      }
    } finally {
      this.#isTelling = false
    }
  }

  async #tellSome(): Promise<void> {
    const rows = await readLog(this.#ctx, this.#now!.runId, this.#position, rowsAtOnce)
    for (const piece of piecesOf(rows)) {
      if (this.#stream.closed) return
      this.#position = piece.from + piece.lines.length - 1
      if (!this.#stream.send({ id: String(this.#position), event: 'lines', data: piece }))
        await this.#stream.drained()
    }
  }
}

/** Lines that were printed together, in pieces of a bounded size. */
export function piecesOf(rows: readonly LogLine[]): LogPiece[] {
  const pieces: LogPiece[] = []
  let bytes = 0
  let last: LogPiece | undefined
  for (const { position, attempt, at, text } of rows) {
    const time = at.toISOString()
    const more = Buffer.byteLength(JSON.stringify(text)) + 1
    bytes += more
    if (!last || last.attempt !== attempt || last.at !== time || bytes > pieceBytes) {
      last = { from: position, attempt, at: time, lines: [] }
      pieces.push(last)
      bytes = more
    }
    last.lines.push(text)
  }
  return pieces
}
