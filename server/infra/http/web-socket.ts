import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectEncrypted } from 'node:tls'
import { lookupOf } from './client.ts'
import type { Address } from './reach.ts'

/** A WebSocket of which it can be told whether anybody is still there. */
export interface WatchedSocket {
  readonly socket: WebSocket
  /** Asks for a sign of life. Whatever comes, a ping of theirs or the answer to ours, is a `sign` event of the socket. */
  ping(): void
  /** Ends it without waiting for the other side to agree, which may be gone. */
  drop(): void
}

/**
 * Opens a WebSocket to just the addresses that were checked: what the name server says a moment later does not matter.
 * The name itself is still what the other side has to prove.
 */
export function openWebSocket(url: URL, addresses: Address[]): WatchedSocket {
  let below: Socket | undefined
  const lookup = lookupOf(addresses)
  const connect: Connect = ({ hostname, port, protocol, servername }, tell) => {
    const isEncrypted = protocol === 'https:'
    const to = { host: hostname, port: Number(port) || (isEncrypted ? 443 : 80), lookup }
    below = isEncrypted
      ? connectEncrypted({ ...to, servername: servername || hostname, ALPNProtocols: ['http/1.1'] })
      : connectPlainly(to)
    const made = below
    const failed = (error: Error) => tell(error, null)
    made.once('error', failed).once(isEncrypted ? 'secureConnect' : 'connect', () => {
      made.off('error', failed)
      tell(null, made)
    })
  }
  const dispatcher = new Agent({ connect })
  const socket = new WebSocket(url, { dispatcher } as unknown as string[])
  socket.addEventListener('close', () => void dispatcher.destroy())
  return {
    socket,
    ping() {
      if (socket.readyState === WebSocket.OPEN) below?.write(pingFrame())
    },
    drop() {
      below?.destroy()
      // Node's WebSocket would wait for a word that never comes.
      socket.dispatchEvent(new Event('close'))
    },
  }
}

/** Of a client, so that it is masked; there is nothing in it. */
const pingFrame = () => Buffer.concat([Buffer.from([0x89, 0x80]), randomBytes(4)])

// Node's WebSocket answers pings by itself and tells nobody but whoever listens here.
for (const name of ['undici:websocket:ping', 'undici:websocket:pong'])
  subscribe(name, (message) => {
    const { websocket } = message as { websocket?: EventTarget }
    websocket?.dispatchEvent(new Event('sign'))
  })

type Connect = (
  to: { hostname: string; port: string; protocol: string; servername?: string | null },
  tell: (error: Error | null, socket: Socket | null) => void,
) => void

type Dispatcher = { destroy(): Promise<void> }

/**
 * Node's own WebSocket takes one of these, and Node exports no way to make one; the one that everybody shares is of that
 * class. A version of Node without it fails here, when the server starts, and not by looking the name up again.
 */
const Agent: new (options: { connect: Connect }) => Dispatcher = sharedDispatcher().constructor as never

function sharedDispatcher(): object {
  // Where fetch has not been touched yet, there is none.
  void fetch
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')]
  if (typeof shared === 'object' && shared?.constructor.name === 'Agent') return shared
  throw new Error('This version of Node cannot open a WebSocket to an address that was checked.')
}
