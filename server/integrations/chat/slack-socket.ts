import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { Clock } from '../../infra/clock.ts'
import { allowList, guard, hostOf } from '../../infra/http/reach.ts'
import type { Call } from '../connections/call.ts'
import { understood } from '../connections/slack-answer.ts'

/** Asks Slack for the address of a socket, with the app-level token; it is good for one opening. */
export function slackSockets(call: Call, clock: Clock, allow: readonly string[]) {
  const reach = guard(allow)
  const opened = allowList(allow)
  return async (connection: Connection): Promise<string> => {
    const headers = { authorization: `Bearer ${connection.credentials.appToken}` }
    const answer = await call(connection, { method: 'POST', path: '/apps.connections.open', headers })
    const { url } = understood(answer, clock.now())
    const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null
    const isEncrypted = address?.protocol === 'wss:'
    const isOpened =
      address !== null && (opened.hasHost(hostOf(address)) || opened.hasAddress(hostOf(address)))
    if (!address || !(isEncrypted || (address.protocol === 'ws:' && isOpened)))
      throw new ToolRefused('invalid', 'Slack gave an address for the socket that can’t be used.')
    if ((await reach(address)) === 'not public')
      throw new ToolRefused('forbidden', `${hostOf(address)} is not on the public internet.`)
    return address.href
  }
}
