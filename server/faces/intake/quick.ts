import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { KnownSource } from '../../domain/signals/known-source.ts'
import { understandAtOnce } from '../../domain/signals/understand.ts'
import { takeFirst } from '../../infra/http/server.ts'
import type { IntakeServices } from './services.ts'

/** A larger one is worth the usual way, and refusing it is not to hash it twice. */
const mostBytes = 65_536
const plainJson = /^application\/json(?:; ?charset=utf-8)?$/i

/**
 * The shortest way for what comes in storms: plain JSON of a source that this node knows, whose proof is right. All that
 * is written here is its 202. Everything else goes the usual way with its body, and is answered there, whatever it is.
 */
export function takeQuickly(app: FastifyInstance, services: IntakeServices): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  takeFirst(app, (request, response, usual) => {
    const begun = performance.now()
    const source = closing ? null : sourceOf(app, services, request)
    if (!source) return usual(request, response)
    readBody(request, (body) => {
      const delivered = { body, headers: request.headers, query: {} }
      const goOn = () => {
        request.unshift(body)
        usual(request, response)
      }
      const reading = understandAtOnce(services, source, delivered)
      if (!reading) return goOn()
      services.receiver
        .receive(source, reading)
        .then((received) => {
          const answer = { ...said, begun, headers: [...headers], body: JSON.stringify(received) }
          app.quickly.answer(request, response, answer)
        })
        // What is in its way is told by those who know how; they try it once more.
        .catch(() => response.headersSent || goOn())
    })
  })
}

const said = {
  operation: 'receiveSignal',
  caller: { channel: 'intake' },
  status: 202,
  inStorms: true,
} as const
const headers = ['cache-control', 'no-store', 'content-type', 'application/json; charset=utf-8']

/** The source whose delivery may go this way; null where it may not. */
function sourceOf(
  app: FastifyInstance,
  { path, sources }: Pick<IntakeServices, 'path' | 'sources'>,
  request: IncomingMessage,
): KnownSource | null {
  const { method, url = '', headers } = request
  if ((method !== 'POST' && method !== 'PUT') || !url.startsWith(path) || url[path.length] !== '/')
    return null
  const length = Number(headers['content-length'])
  if (!(length > 0 && length <= mostBytes) || headers['transfer-encoding'] !== undefined) return null
  if (!plainJson.test(headers['content-type'] ?? '') || !app.quickly.isPossible(request)) return null
  // What is remembered is a token as a whole: nothing with a query or another path behind it.
  return sources.remembered(url.slice(path.length + 1)) ?? null
}

/** Hands the body over before the request has ended: whoever is handed the request after that can still read it. */
function readBody(request: IncomingMessage, onRead: (body: Buffer) => void): void {
  const length = Number(request.headers['content-length'])
  const chunks: Buffer[] = []
  let bytes = 0
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < length) return
    request.pause()
    request.off('data', onData)
    onRead(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes))
  }
  request.on('data', onData)
}
