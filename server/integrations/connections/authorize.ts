import { createHash, createPrivateKey, sign } from 'node:crypto'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { Clock } from '../../infra/clock.ts'

/** One call with a credential that is not the connection's own. */
type Send = (
  connection: Connection,
  request: { method: 'POST'; path: string },
  headers: Record<string, string>,
) => Promise<{ body: unknown }>

/** Which headers say who we are. */
export function authorizing(clock: Clock, send: Send) {
  const installationToken = installationTokens(clock, send)
  return async (connection: Connection): Promise<Record<string, string>> => {
    const { credentials } = connection
    switch (connection.kind) {
      case 'github': {
        // No token is needed to turn a code into an app, and an app that is not installed signs its own requests.
        const token = credentials.privateKey ? await installationToken(connection) : credentials.token
        return { ...githubHeaders, ...(token ? { authorization: `Bearer ${token}` } : {}) }
      }
      case 'jira':
        return {
          accept: 'application/json',
          authorization: credentials.email
            ? `Basic ${Buffer.from(`${credentials.email}:${credentials.token}`).toString('base64')}`
            : `Bearer ${credentials.token}`,
        }
      case 'linear':
        // Personal keys are sent as they are; what an app was given is not.
        return {
          authorization: credentials.token!.startsWith('lin_api_')
            ? credentials.token!
            : `Bearer ${credentials.token}`,
        }
      case 'gitlab':
        return { authorization: `Bearer ${credentials.token}` }
      case 'slack':
        return { authorization: `Bearer ${credentials.botToken}` }
    }
  }
}

/** The newest version of the API that every supported GitHub Enterprise knows. */
const githubHeaders = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

const mostRemembered = 1_000

/** A GitHub App signs in with its key and is given a token for an hour, which is kept in memory until shortly before. */
function installationTokens(clock: Clock, send: Send) {
  const known = new Map<string, { token: string; until: number }>()
  return async (connection: Connection): Promise<string> => {
    const { appId, installationId, privateKey } = connection.credentials
    // Another key, another installation: another token.
    const name = createHash('sha256')
      .update(JSON.stringify([connection.id, connection.baseUrl, appId, installationId, privateKey]))
      .digest('hex')
    const now = clock.now().getTime()
    const found = known.get(name)
    if (found && found.until > now) return found.token
    const { body } = await send(
      connection,
      { method: 'POST', path: `/app/installations/${encodeURIComponent(installationId!)}/access_tokens` },
      { ...githubHeaders, authorization: `Bearer ${githubAppJwt(appId!, privateKey!, now)}` },
    )
    const { token, expires_at: expires } = body as { token: string; expires_at: string }
    if (known.size >= mostRemembered) known.clear()
    known.set(name, { token, until: Date.parse(expires) - 5 * 60_000 })
    return token
  }
}

/** A JWT as GitHub wants it: RS256, ten minutes at most, begun a minute ago for clocks that differ. */
export function githubAppJwt(appId: string, privateKey: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = encoded({ alg: 'RS256', typ: 'JWT' })
  const claims = encoded({ iat: seconds - 60, exp: seconds + 540, iss: appId })
  try {
    const key = createPrivateKey(privateKey)
    return `${head}.${claims}.${sign('sha256', Buffer.from(`${head}.${claims}`), key).toString('base64url')}`
  } catch {
    throw new ToolRefused(
      'invalid',
      'The private key can’t be read. Paste the whole PEM file that GitHub gave you.',
    )
  }
}
