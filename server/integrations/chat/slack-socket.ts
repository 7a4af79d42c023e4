import { asksFor } from '@signalbox/contract/remedy.ts'
import type { ChatSocket } from '../../domain/ports/chat.ts'
import { type Connection, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type { Clock } from '../../infra/clock.ts'
import { allowList, guard, hostOf, type Resolve } from '../../infra/http/reach.ts'
import { openWebSocket } from '../../infra/http/websocket-client.ts'
import type { Call } from '../connections/call.ts'

/** Asks Slack for the address of a socket, with the app-level token, and opens it where it may lead. */
export function slackSockets(call: Call, clock: Clock, allow: readonly string[], resolve?: Resolve) {
  const reach = guard(allow, resolve)
  const opened = allowList(allow)
  return async (connection: Connection): Promise<ChatSocket> => {
    const headers = { authorization: `Bearer ${connection.credentials.appToken}` }
    const { body } = await call(connection, { method: 'POST', path: '/apps.connections.open', headers })
    const url: unknown = body?.url
    const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null
    const isEncrypted = address?.protocol === 'wss:'
    const isOpened =
      address !== null && (opened.hasHost(hostOf(address)) || opened.hasAddress(hostOf(address)))
    if (!address || !(isEncrypted || (address.protocol === 'ws:' && isOpened)))
      throw new ToolRefused('invalid', 'Slack gave an address for the socket that can’t be used.')
    const addresses = await reach(address)
    if (addresses === 'not public')
      throw new ToolRefused(
        'forbidden',
        `${hostOf(address)} is not on the public internet. ${asksFor('CONNECTION_ALLOW', hostOf(address))}`,
      )
    if (addresses === 'no address')
      throw new ToolBusy(`${hostOf(address)} could not be resolved.`, null, clock.now())
    return openWebSocket(address, addresses)
  }
}
