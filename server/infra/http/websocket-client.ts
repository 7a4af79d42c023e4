import { subscribe } from 'node:diagnostics_channel'
import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectEncrypted } from 'node:tls'
import { Agent, type buildConnector, ping, WebSocket } from 'undici'
import { lookupOf } from './client.ts'
import type { Address } from './reach.ts'

/** A WebSocket of which it can be told whether anyone is still there. */
export interface WatchedSocket {
  readonly socket: WebSocket
  /**
   * Asks for a sign of life. Whatever comes, a ping of theirs or the answer to ours, is a `sign` event of the socket.
   */
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
  const connect: buildConnector.connector = ({ hostname, port, protocol, servername }, tell) => {
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
  const socket = new WebSocket(url, { dispatcher })
  socket.addEventListener('close', () => void dispatcher.destroy())
  return {
    socket,
    ping() {
      if (socket.readyState === WebSocket.OPEN) ping(socket)
    },
    drop() {
      below?.destroy()
      // Otherwise it would wait for a word that never comes.
      socket.dispatchEvent(new Event('close'))
    },
  }
}

// It answers pings without a word; this is where it says so.
for (const name of ['undici:websocket:ping', 'undici:websocket:pong'])
  subscribe(name, (message) => {
    const { websocket } = message as { websocket?: EventTarget }
    websocket?.dispatchEvent(new Event('sign'))
  })
