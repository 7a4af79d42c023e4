import { slackScopes } from '@signalbox/contract/connection-kinds.ts'
import { ToolRefused } from '../../domain/ports/connection.ts'
import type { Connector } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { slackProof } from './proofs/slack.ts'

/** A Slack app of the customer's own: its bot token posts, its signing secret proves what comes back. */
export const slackConnector = (call: Call): Connector => ({
  kind: 'slack',
  proof: slackProof,

  async check(connection) {
    const answer = await call(connection, { method: 'POST', path: '/auth.test' })
    const { user, team } = answer.body as { user: string; team: string }
    const granted = String(answer.headers['x-oauth-scopes'] ?? '')
      .split(',')
      .map((scope) => scope.trim())
    const missing = slackScopes
      .filter((scope) => !granted.includes(scope))
      .map((scope) => `The app needs the scope \`${scope}\`. Add it, then reinstall the app.`)
    if (connection.credentials.appToken) {
      const headers = { authorization: `Bearer ${connection.credentials.appToken}` }
      const opened = call(connection, { method: 'POST', path: '/apps.connections.open', headers })
      const refused = await opened.then(
        () => false,
        (error) => {
          if (error instanceof ToolRefused) return true
          throw error
        },
      )
      if (refused)
        missing.push('The app-level token can’t open a socket. It needs the scope `connections:write`.')
    }
    return { account: `${user} in ${team}`, missing }
  },
})
