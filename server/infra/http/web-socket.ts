import { lookupOf } from './client.ts'
import type { Address } from './reach.ts'

/**
 * Opens a WebSocket to just the addresses that were checked: what the name server says a moment later does not matter.
 * The name itself is still what the other side has to prove.
 */
export function openWebSocket(url: URL, addresses: Address[]): WebSocket {
  const dispatcher = new Agent({ connect: { lookup: lookupOf(addresses) } })
  const socket = new WebSocket(url, { dispatcher } as unknown as string[])
  socket.addEventListener('close', () => void dispatcher.destroy())
  return socket
}

type Dispatcher = { destroy(): Promise<void> }

/**
 * Node's own WebSocket takes one of these, and Node exports no way to make one; the one that everybody shares is of that
 * class. A version of Node without it fails here, when the server starts, and not by looking the name up again.
 */
const Agent: new (options: { connect: { lookup: ReturnType<typeof lookupOf> } }) => Dispatcher =
  sharedDispatcher().constructor as never

function sharedDispatcher(): object {
  // Where fetch has not been touched yet, there is none.
  void fetch
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')]
  if (typeof shared === 'object' && shared?.constructor.name === 'Agent') return shared
  throw new Error('This version of Node cannot open a WebSocket to an address that was checked.')
}
