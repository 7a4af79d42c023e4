import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { Connector } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { type FoundHook, healthOf, ifAllowed, lookFrom, unseen } from './hook-health.ts'
import { gitlabProof } from './proofs/gitlab.ts'

interface Project {
  id: number
  path_with_namespace: string
  name: string
  web_url: string
  http_url_to_repo: string
  default_branch?: string | null
}

const hookEvents = {
  issues_events: true,
  confidential_issues_events: true,
  note_events: true,
  merge_requests_events: true,
  pipeline_events: true,
  push_events: true,
}

/** GitLab.com and self-managed GitLab, with a personal, group or project access token. */
export function gitlabConnector(call: Call): Connector {
  const projects: (connection: Parameters<Call>[0], words: string) => Promise<Project[]> = async (
    connection,
    words,
  ) => {
    const query = {
      ...{ membership: true, simple: true, archived: false, per_page: 100 },
      ...{ order_by: 'last_activity_at', min_access_level: 30 },
      ...(words.trim() ? { search: words.trim(), search_namespaces: true } : {}),
    }
    return (await call(connection, { path: '/api/v4/projects', query })).body
  }
  return {
    kind: 'gitlab',
    proof: gitlabProof,

    async check(connection) {
      const { body } = await call(connection, { path: '/api/v4/user' })
      const missing: string[] = []
      try {
        const self = await call(connection, { path: '/api/v4/personal_access_tokens/self' })
        const scopes: string[] = self.body.scopes ?? []
        if (!scopes.includes('api')) missing.push('The token needs the scope `api`.')
      } catch (error) {
        // What an OAuth application was given says nothing about itself.
        if (!(error instanceof ToolRefused) || error.reason === 'unauthorized') throw error
      }
      return { account: body.username, missing }
    },

    async projects(connection, query) {
      return (await projects(connection, query)).map((project) => ({
        ...{ id: `${project.id}`, key: project.path_with_namespace },
        ...{ name: project.name, url: project.web_url },
      }))
    },

    async repositories(connection, query) {
      return (await projects(connection, query)).map((project) => ({
        ...{ id: `${project.id}`, name: project.path_with_namespace, address: project.http_url_to_repo },
        ...{ branch: project.default_branch ?? 'main', url: project.web_url },
      }))
    },

    /** With the secret as a token, too, for those before version 19, which cannot sign. */
    async makeWebhook(connection, { url, secret, scope }) {
      const path = `/api/v4/projects/${encodeURIComponent(scope.id)}/hooks`
      const { body: hooks } = await call(connection, { path, query: { per_page: 100 } })
      const ours = (hooks as { id: number; url: string }[]).find((hook) => hook.url === url)
      const json = { url, token: secret, signing_token: secret, enable_ssl_verification: true, ...hookEvents }
      if (ours) await call(connection, { method: 'PUT', path: `${path}/${ours.id}`, json })
      else await call(connection, { method: 'POST', path, json })
    },

    async lookAfterHooks(connection, { url, scopes, since }) {
      const found: FoundHook[] = []
      let isSeen = false
      for (const scope of scopes) {
        const path = `/api/v4/projects/${encodeURIComponent(scope.id)}/hooks`
        const hooks = await ifAllowed(
          call(connection, { mayBeForbidden: true, path, query: { per_page: 100 } }),
        )
        if (!hooks) continue
        isSeen = true
        const ours = (hooks.body as Hook[]).find((hook) => hook.url === url)
        if (!ours) continue
        const turned = await turnOn(call, connection, `${path}/${ours.id}`, ours)
        found.push({ ...turned, ...(await sendAgain(call, connection, `${path}/${ours.id}`, since)) })
      }
      if (scopes.length > 0 && !isSeen)
        return unseen('The token can’t see webhooks. It needs the role Maintainer in the project.')
      return healthOf(found, scopes.length)
    },
  }
}

interface Hook {
  id: number
  url: string
  /** Left out by versions that turn nothing off. */
  alert_status?: 'executable' | 'temporarily_disabled' | 'disabled'
}

/** GitLab turns a hook on again once a test of it succeeds; some of what it could send is not there in a new project. */
const triggers = ['push_events', 'issues_events', 'merge_requests_events']

async function turnOn(call: Call, connection: Connection, path: string, hook: Hook): Promise<FoundHook> {
  const isOn = ({ alert_status: status }: Hook) => status === undefined || status === 'executable'
  if (isOn(hook)) return {}
  for (const trigger of triggers) {
    try {
      await call(connection, { method: 'POST', path: `${path}/test/${trigger}` })
      break
    } catch (error) {
      // What cannot be tried is tried with another; that it failed over there is seen below.
      if (!(error instanceof ToolRefused) || error.reason === 'unauthorized') throw error
    }
  }
  const { body } = await call(connection, { path })
  return isOn(body as Hook) ? { turnedOn: true } : { isOff: true }
}

/** GitLab lets five a minute be sent again. */
const mostAgain = 5
/** Of what was sent to a hook GitLab shows no longer pages. */
const eventsPerPage = 20
const mostEventPages = 3

interface HookEvent {
  id: number
  created_at: string
  response_status: string
}

async function sendAgain(
  call: Call,
  connection: Connection,
  path: string,
  since: Date | null,
): Promise<FoundHook> {
  const from = lookFrom(since, Date.now())
  const recent: HookEvent[] = []
  for (let page = 1; page <= mostEventPages; page += 1) {
    const query = { per_page: eventsPerPage, page }
    const events = await ifAllowed(call(connection, { mayBeForbidden: true, path: `${path}/events`, query }))
    if (!events) return {}
    const some = events.body as HookEvent[]
    const newer = some.filter(({ created_at: at }) => Date.parse(at) >= from)
    recent.push(...newer)
    // The newest come first.
    if (some.length < eventsPerPage || newer.length < some.length) break
  }
  const failed = recent.filter(({ response_status: status }) => !/^2\d\d$/.test(`${status}`))
  let again = 0
  for (const { id } of failed.slice(0, mostAgain))
    if (
      await ifAllowed(
        call(connection, { mayBeForbidden: true, method: 'POST', path: `${path}/events/${id}/resend` }),
      )
    )
      again += 1
  return { failed: failed.length, again }
}
