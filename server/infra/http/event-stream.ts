import type { Server } from 'node:http'
import { heartbeatMs } from '@signalbox/contract/limits.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Server-sent events to one client, until either side ends it. */
export interface EventStream {
  /** False when the client takes less than it is sent: wait for `drained`. */
  send(event: { id?: string; event: string; data: unknown }): boolean
  drained(): Promise<void>
  readonly closed: boolean
  onClose(done: () => void): void
  end(): void
}

export interface EventStreamOptions {
  onHeartbeat?: () => unknown
  /** Whose it is, and how many of these one may have: the newest replaces the oldest, which may be a dead one. */
  holder?: { id: string; most: number }
}

/** Who does not read does not hold on to more of our memory than this, nor to a connection that has been ended. */
const mostUnreadBytes = 1_048_576
const endMs = 5_000

/**
 * Answers a request with a stream. Proxies are told not to hold it back; a heartbeat keeps them awake, and tells the page,
 * which hears events but no comments, that nothing between holds it back.
 */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { onHeartbeat, holder }: EventStreamOptions = {},
): EventStream {
  reply.hijack()
  const { raw } = reply
  // Headers that hooks have set belong to this answer too.
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  })
  raw.write('retry: 1000\n\n')
  // A stream is quiet for as long as nothing happens; that is no reason to end it.
  request.raw.socket.setTimeout(0)
  const open = streamsOf(request.server)
  const waiting = new Set<() => void>()
  let closed = false
  const write = (text: string): boolean => {
    if (closed) return false
    const isTaken = raw.write(text)
    if (raw.writableLength > mostUnreadBytes) {
      close()
      raw.destroy()
    }
    return isTaken
  }
  const heartbeat = setInterval(() => {
    write('event: alive\ndata: {}\n\n')
    onHeartbeat?.()
  }, heartbeatMs)
  const close = () => {
    if (closed) return
    closed = true
    clearInterval(heartbeat)
    open.delete(stream)
    for (const done of waiting) done()
  }
  raw.on('close', close)
  raw.on('error', close)
  const stream: EventStream = {
    send: ({ id, event, data }) =>
      write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    drained: () =>
      new Promise((resolve) => {
        if (closed || !raw.writableNeedDrain) return resolve()
        const done = () => {
          raw.off('drain', done)
          waiting.delete(done)
          resolve()
        }
        raw.once('drain', done)
        waiting.add(done)
      }),
    get closed() {
      return closed
    },
    onClose: (done) => {
      if (closed) done()
      else waiting.add(done)
    },
    end: () => {
      close()
      raw.end()
      // An open connection would keep the server from closing.
      raw.socket?.setTimeout(endMs, () => raw.destroy())
      raw.socket?.destroySoon()
    },
  }
  open.set(stream, holder?.id)
  if (holder) endOldest(open, holder)
  return stream
}

type Streams = Map<EventStream, string | undefined>

const streams = new WeakMap<Server, Streams>()

function streamsOf({ server }: Pick<FastifyInstance, 'server'>): Streams {
  const open = streams.get(server) ?? new Map()
  streams.set(server, open)
  return open
}

function endOldest(open: Streams, { id, most }: { id: string; most: number }): void {
  const theirs = [...open].filter(([, holder]) => holder === id)
  for (const [stream] of theirs.slice(0, Math.max(0, theirs.length - most))) stream.end()
}

/** Ends every stream of a server; closing, it would wait for them forever. */
export function endEventStreams(app: FastifyInstance): void {
  for (const stream of [...streamsOf(app).keys()]) stream.end()
}
