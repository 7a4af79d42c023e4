import { isIP } from 'node:net'
import { githubWeb } from '@signalbox/contract/github-web.ts'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { AppForm, AppMaker } from '../../domain/ports/connector.ts'
import { isPublic } from '../../infra/http/public-address.ts'
import { hostOf } from '../../infra/http/reach.ts'
import { githubAppJwt } from './authorize.ts'
import type { Call } from './call.ts'

/** The events we subscribe to, for an app as for the hook of a repository. */
export const hookEvents = [
  ...['issues', 'issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment'],
  ...['check_run', 'check_suite', 'status', 'push', 'repository'],
]

/** An app signs what it asks about itself. */
export const asApp = ({ credentials }: Connection) => ({
  authorization: `Bearer ${githubAppJwt(credentials.appId!, credentials.privateKey!, Date.now())}`,
})

/** GitHub takes no longer ones. */
const longestName = 34

/** The manifest flow: the browser posts what the app should be, GitHub sends it back with a code, once. */
export const githubApps = (call: Call): AppMaker => ({
  form(wish) {
    const { baseUrl, organization, state } = wish
    const owner = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`
    const action = `${githubWeb(baseUrl)}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`
    return { action, manifest: JSON.stringify(manifestOf(wish)) }
  },

  async convert({ id, workspaceId, baseUrl }, code) {
    const nobody: Connection = {
      ...{ id, workspaceId, baseUrl, kind: 'github', name: 'GitHub', account: null, credentials: {} },
    }
    const { body } = await call(nobody, {
      method: 'POST',
      path: `/app-manifests/${encodeURIComponent(code)}/conversions`,
    })
    const { id: appId, client_id: clientId, pem, webhook_secret: secret, slug, html_url: page } = body ?? {}
    const isWhole = [appId, clientId, pem, slug, page].every((one) => one !== undefined && one !== null)
    // The key is used against the host that gave it, and people are sent to no other.
    if (!isWhole || !URL.canParse(page) || new URL(page).origin !== new URL(githubWeb(baseUrl)).origin)
      throw new ToolRefused('invalid', 'GitHub’s answer about the new app can’t be used.')
    return {
      ...{ appId: `${appId}`, clientId: `${clientId}`, privateKey: `${pem}`, slug: `${slug}` },
      ...{ webhookSecret: secret ? `${secret}` : null, name: `${body.name ?? slug}` },
      installUrl: `${page}/installations/new`,
    }
  },

  async installations(app) {
    const { body } = await call(
      { ...app, credentials: {} },
      { path: '/app/installations', query: { per_page: 100 }, headers: asApp(app) },
    )
    const found = body as { id: number; suspended_at?: string | null }[]
    return found
      .filter((one) => !one.suspended_at)
      .map(({ id }) => id)
      .sort((a, b) => b - a)
  },
})

function manifestOf({ name, returnTo, hookUrl }: AppForm) {
  return {
    name: name.slice(0, longestName).trim(),
    url: new URL(returnTo).origin,
    redirect_url: returnTo,
    setup_url: returnTo,
    setup_on_update: false,
    // Others can neither see it nor install it.
    public: false,
    default_permissions: {
      ...{ contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' },
      ...{ statuses: 'read', metadata: 'read' },
    },
    // GitHub refuses an address that it cannot reach; then changes are fetched instead.
    ...(isReachable(hookUrl)
      ? { hook_attributes: { url: hookUrl, active: true }, default_events: hookEvents }
      : {}),
  }
}

/** Names that are only known inside: RFC 6761, RFC 8375, and what people use without asking. */
const inside = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|example|invalid|home\.arpa)$/

/** Whether a service on the internet could call it, as far as its name tells. */
function isReachable(text: string): boolean {
  const url = new URL(text)
  const host = hostOf(url)
  if (url.protocol !== 'https:') return false
  return isIP(host) ? isPublic(host) : host.includes('.') && !inside.test(host)
}
