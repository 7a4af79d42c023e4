import { Readable } from 'node:stream'
import type { LogPiece } from '@signalbox/contract/app/runs.ts'
import { runKey } from '@signalbox/contract/keys.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Compile } from 'typebox/compile'
import type { Context } from '../../../domain/context.ts'
import { DomainError, notFound } from '../../../domain/errors.ts'
import { findLog, type LogLine, type LogStanding, readLog } from '../../../domain/work/runs/log/read.ts'
import type { EventStream } from '../../../infra/http/event-stream.ts'
import { contextOfSession } from '../../http/session.ts'
import { LogWatch } from './log-watch.ts'
import { mayTakeAway, openPersonalStream, type StreamServices } from './personal-stream.ts'

const rowsAtOnce = 500
const pieceBytes = 60_000

/**
 * The log of a run: as a stream that tells what is there and then what comes, until the run is over; and as a file.
 * A stream is open only while someone looks. After a break the browser says which line it had last.
 */
export function serveRunLogs(app: FastifyInstance, services: StreamServices): void {
  const watch = new LogWatch((error) => app.log.warn({ err: error }, 'a log could not be read'))

  app.get('/api/w/:workspace/runs/:run/log', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'runs.log'
    const ctx = await contextOfSession(services, request)
    const after = positionOf(request)
    const standing = await findLog(ctx, { key: keyOf(request) })
    const { stream, mayGoOn } = openPersonalStream(services, ctx, request, reply)
    const teller = new Teller(ctx, stream, after)
    stream.onClose(watch.listen(ctx, standing.runId, (now) => teller.tell(now)))
    // A session that was revoked, or a member who has left, reads no further.
    const news = services.news.listen(ctx.workspaceId, null, (fresh) => mayTakeAway(fresh) && mayGoOn())
    news.then(
      ({ stop }) => stream.onClose(stop),
      () => stream.end(),
    )
    await teller.tell(standing)
  })

  app.get('/api/w/:workspace/runs/:run/log.txt', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'runs.log.txt'
    const ctx = await contextOfSession(services, request)
    const key = keyOf(request)
    const standing = await findLog(ctx, { key })
    return reply
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .header('content-disposition', `attachment; filename="${key}.log.txt"`)
      .type('text/plain; charset=utf-8')
      .send(Readable.from(pagesOf(ctx, standing)))
  })
}

const shape = Compile(runKey)

/** The run of the path. A key that cannot exist is not looked for: the answer is that of one that does not. */
function keyOf(request: FastifyRequest): string {
  const { run } = request.params as { run: string }
  if (!shape.Check(run)) throw notFound('run', run)
  return run
}

/** The line after which to go on: what the browser had last, else what the address says. */
function positionOf(request: FastifyRequest): number {
  const last = request.headers['last-event-id']
  const { after } = request.query as { after?: unknown }
  const given = typeof last === 'string' && last !== '' ? last : (after ?? '0')
  if (typeof given === 'string' && /^\d{1,9}$/.test(given)) return Number(given)
  throw new DomainError('invalid_request', '`after` must be a line number.')
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
  for (const { position, attempt, at, text, colours } of rows) {
    const time = at.toISOString()
    const more = Buffer.byteLength(JSON.stringify(text)) + 1 + (colours?.length ?? 0)
    bytes += more
    if (!last || last.attempt !== attempt || last.at !== time || bytes > pieceBytes) {
      last = { from: position, attempt, at: time, lines: [] }
      pieces.push(last)
      bytes = more
    }
    if (colours) {
      last.colours ??= {}
      last.colours[last.lines.length] = colours
    }
    last.lines.push(text)
  }
  return pieces
}
