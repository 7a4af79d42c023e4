import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { Connector, HookWish } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { asApp, githubApps, hookEvents } from './github-apps.ts'
import { hooksPath, lookAfterAppHook, lookAfterHooks } from './github-hooks.ts'
import { githubProof } from './proofs/github.ts'

interface Repo {
  id: number
  full_name: string
  name: string
  html_url: string
  clone_url: string
  default_branch: string
  has_issues?: boolean
  archived?: boolean
  permissions?: { push?: boolean }
}

/** GitHub, GitHub Enterprise Cloud and GitHub Enterprise Server; with a token, or as a GitHub App. */
export function githubConnector(call: Call): Connector {
  const isApp = ({ credentials }: Connection) => credentials.privateKey !== undefined

  async function page(connection: Connection, number: number): Promise<Repo[]> {
    const query = { per_page: 100, page: number }
    if (isApp(connection))
      return (await call(connection, { path: '/installation/repositories', query })).body.repositories
    return (await call(connection, { path: '/user/repos', query: { ...query, sort: 'pushed' } })).body
  }

  /** The most recent ones; or those with these words in their name, among the first five hundred. */
  async function repos(connection: Connection, wanted: string): Promise<Repo[]> {
    const words = wanted.trim().toLowerCase()
    const found: Repo[] = []
    for (let number = 1; number <= 5; number += 1) {
      const some = await page(connection, number)
      found.push(...some.filter((repo) => !repo.archived && repo.full_name.toLowerCase().includes(words)))
      if (some.length < 100 || words === '' || found.some((repo) => repo.full_name.toLowerCase() === words))
        break
    }
    return found.slice(0, 100)
  }

  return {
    kind: 'github',
    proof: githubProof,

    async check(connection) {
      if (isApp(connection)) return checkApp(call, connection)
      const { body, headers } = await call(connection, { path: '/user' })
      const missing: string[] = []
      const scopes = headers['x-oauth-scopes']
      if (typeof scopes === 'string') {
        const granted = scopes.split(',').map((scope) => scope.trim())
        if (!granted.includes('repo')) missing.push('The token needs the scope `repo`.')
      } else {
        // A fine-grained token doesn't say what it may do; what it sees of its repositories does.
        const [repo] = await page(connection, 1)
        if (!repo)
          missing.push(
            'The token doesn’t have access to any repositories. Give it access to those that your teams work on.',
          )
        else if (repo.permissions?.push === false)
          missing.push('The token needs write access to Contents, Issues and Pull requests.')
      }
      return { account: body.login, missing }
    },

    async projects(connection, query) {
      const some = await repos(connection, query)
      return some
        .filter(({ has_issues }) => has_issues !== false)
        .map((repo) => ({ id: `${repo.id}`, key: repo.full_name, name: repo.name, url: repo.html_url }))
    },

    async repositories(connection, query) {
      return (await repos(connection, query)).map((repo) => ({
        ...{ id: `${repo.id}`, name: repo.full_name, address: repo.clone_url },
        ...{ branch: repo.default_branch, url: repo.html_url },
      }))
    },

    makeWebhook: (connection, wish) =>
      isApp(connection) ? setAppHook(call, connection, wish) : makeHook(call, connection, wish),

    lookAfterHooks: (connection, look) =>
      isApp(connection) ? lookAfterAppHook(call, connection, look) : lookAfterHooks(call, connection, look),

    apps: githubApps(call),
  }
}

const needed: Record<string, string> = dictionary({
  contents: 'Contents',
  issues: 'Issues',
  pull_requests: 'Pull requests',
  checks: 'Checks',
})

/** What an installation may do is known to the app alone, not to the token it is given. */
async function checkApp(call: Call, connection: Connection) {
  const { body } = await call(connection, {
    path: `/app/installations/${encodeURIComponent(connection.credentials.installationId!)}`,
    headers: asApp(connection),
  })
  const granted: Record<string, string> = body.permissions ?? {}
  return {
    account: `${body.app_slug}[bot]`,
    missing: Object.entries(needed)
      .filter(([name]) => granted[name] !== 'write')
      .map(([, name]) => `The app needs the permission “${name}: Read and write”.`),
  }
}

async function makeHook(call: Call, connection: Connection, { url, secret, scope }: HookWish) {
  const path = await hooksPath(call, connection, scope)
  const { body: hooks } = await call(connection, { path, query: { per_page: 100 } })
  const ours = (hooks as { id: number; config: { url?: string } }[]).find(({ config }) => config.url === url)
  const json = {
    active: true,
    events: hookEvents,
    config: { url, secret, content_type: 'json', insecure_ssl: '0' },
  }
  if (ours) await call(connection, { method: 'PATCH', path: `${path}/${ours.id}`, json })
  else await orUnreachable(call(connection, { method: 'POST', path, json: { name: 'web', ...json } }), url)
}

/** GitHub itself takes no address inside a network, with the status of any mistake. */
async function orUnreachable(made: Promise<unknown>, url: string): Promise<void> {
  try {
    await made
  } catch (error) {
    if (!(error instanceof ToolRefused) || !/public internet/i.test(JSON.stringify(error.answer ?? '')))
      throw error
    const said = `GitHub can’t reach ${new URL(url).host} over the internet. Changes are fetched every few minutes instead.`
    throw new ToolRefused('invalid', said, { status: error.status, answer: error.answer })
  }
}

/** An app has one address for all of its installations. */
async function setAppHook(call: Call, connection: Connection, { url, secret }: HookWish) {
  const json = { url, secret, content_type: 'json', insecure_ssl: '0' }
  await call(connection, { method: 'PATCH', path: '/app/hook/config', headers: asApp(connection), json })
}
