import type { Server } from 'node:http'
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

const heartbeatMs = 15_000

/** Answers a request with a stream. Proxies are told not to hold it back; a comment now and then keeps them awake. */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  onHeartbeat: () => unknown = () => {},
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
  const heartbeat = setInterval(() => {
    raw.write(': still here\n\n')
    onHeartbeat()
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
      raw.write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
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
      raw.socket?.destroySoon()
    },
  }
  open.add(stream)
  return stream
}

const streams = new WeakMap<Server, Set<EventStream>>()

function streamsOf({ server }: Pick<FastifyInstance, 'server'>): Set<EventStream> {
  const open = streams.get(server) ?? new Set()
  streams.set(server, open)
  return open
}

/** Ends every stream of a server; closing, it would wait for them forever. */
export function endEventStreams(app: FastifyInstance): void {
  for (const stream of streamsOf(app)) stream.end()
}
