import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import { type CallOptions, Calls } from './calls.ts'
import { socketFolder } from './socket-folder.ts'

export type { Usage } from './entry.ts'

/** A way to a model for one order: no key on the agent's side, every call counted, and never more than the budget. */
export interface Gateway {
  /** Unix socket to be bound into the box. */
  readonly socket: string
  /** The same over loopback, where there is no box to bind a socket into. Requests without the path are refused. */
  readonly url: string
  /** What has been booked so far, in millionths of a US dollar. */
  readonly spentMicros: number
  /** Whether a call of the usual kind was refused because what is left of the budget does not cover it. */
  readonly isExhausted: boolean
  /** What providers may do on their own, on the network. */
  readonly modelTools: readonly ModelTool[]
  close(): Promise<void>
}

export interface GatewayOptions extends CallOptions {
  /** For the socket, outside of what the agent can write. */
  folder: string
}

/** No agent needs more; each that waits takes memory, and many can be sent behind each other on one connection. */
const mostConnections = 256
const mostPerConnection = 256

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const calls = new Calls(options)
  const token = randomBytes(24).toString('base64url')
  const folder = await socketFolder(options.folder, 'g-')
  const socket = path.join(folder, 'model.sock')
  const boxed = http.createServer(
    (request, response) => void calls.answer(request, response, request.url ?? '/'),
  )
  const open = http.createServer((request, response) => {
    const rest = afterToken(request.url ?? '/', token)
    if (rest === null)
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: 'Not found.' } }))
    else void calls.answer(request, response, rest)
  })
  for (const server of [boxed, open]) {
    server.maxConnections = mostConnections
    server.maxRequestsPerSocket = mostPerConnection
  }
  boxed.listen(socket)
  open.listen(0, '127.0.0.1')
  await Promise.all([once(boxed, 'listening'), once(open, 'listening')])
  const { port } = open.address() as { port: number }
  return {
    socket,
    url: `http://127.0.0.1:${port}/${token}`,
    modelTools: options.modelTools ?? [],
    get spentMicros() {
      return calls.spentMicros
    },
    get isExhausted() {
      return calls.isExhausted
    },
    async close() {
      for (const server of [boxed, open]) {
        server.close()
        server.closeAllConnections()
      }
      await calls.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function afterToken(url: string, token: string): string | null {
  const [, given = '', ...rest] = url.split('/')
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b) ? `/${rest.join('/')}` : null
}
