import type { Connection } from '../../domain/ports/connection.ts'
import type { Connector } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { type FoundHook, healthOf, ifAllowed, unseen } from './hook-health.ts'
import { jiraProof } from './proofs/jira.ts'

/** People sign in to the cloud with their address and a token, to a data center with a token alone. */
export const isJiraCloud = ({ credentials }: Pick<Connection, 'credentials'>): boolean =>
  credentials.email !== undefined

/** The cloud and a data center speak different versions of the same API. */
const jiraApi = (connection: Pick<Connection, 'credentials'>): string =>
  `/rest/api/${isJiraCloud(connection) ? 3 : 2}`

const needed = ['BROWSE_PROJECTS', 'CREATE_ISSUES', 'EDIT_ISSUES', 'TRANSITION_ISSUES', 'ADD_COMMENTS']

const hookEvents = [
  ...['jira:issue_created', 'jira:issue_updated', 'jira:issue_deleted'],
  ...['comment_created', 'comment_updated', 'comment_deleted'],
]

interface Project {
  id: string
  key: string
  name: string
}

export function jiraConnector(call: Call): Connector {
  return {
    kind: 'jira',
    proof: jiraProof,

    async check(connection) {
      const api = jiraApi(connection)
      const { body } = await call(connection, { path: `${api}/myself` })
      const { body: mine } = await call(connection, {
        path: `${api}/mypermissions`,
        query: { permissions: needed.join(',') },
      })
      const permissions: Record<string, { havePermission: boolean; name?: string }> = mine.permissions ?? {}
      return {
        account: body.name || body.emailAddress || body.displayName,
        missing: needed
          .filter((name) => !permissions[name]?.havePermission)
          .map((name) => `The account needs the permission “${permissions[name]?.name ?? name}”.`),
      }
    },

    async projects(connection, query) {
      const words = query.trim().toLowerCase()
      const found: Project[] = isJiraCloud(connection)
        ? (
            await call(connection, {
              path: '/rest/api/3/project/search',
              query: {
                maxResults: 100,
                orderBy: '-lastIssueUpdatedTime',
                ...(words ? { query: words } : {}),
              },
            })
          ).body.values
        : (await call(connection, { path: '/rest/api/2/project' })).body
      return found
        .filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(words))
        .slice(0, 100)
        .map(({ id, key, name }) => ({ id, key, name, url: `${connection.baseUrl}/browse/${key}` }))
    },

    /** Only administrators may; Jira answers everybody else with a refusal. */
    async makeWebhook(connection, { url, secret, scope }) {
      const path = '/rest/webhooks/1.0/webhook'
      const { body: hooks } = await call(connection, { path })
      const ours = (hooks as { self: string; url: string }[]).find((hook) => hook.url === url)
      const json = {
        ...{ name: 'Signalbox', url, secret, events: hookEvents, excludeBody: false },
        filters: { 'issue-related-events-section': `project = ${scope.id}` },
      }
      const number = ours && /\/(\d+)\/?$/.exec(ours.self)?.[1]
      if (number) await call(connection, { method: 'PUT', path: `${path}/${number}`, json })
      else await call(connection, { method: 'POST', path, json })
    },

    async lookAfterHooks(connection, { url }) {
      const path = '/rest/webhooks/1.0/webhook'
      const seen = await ifAllowed(call(connection, { mayBeForbidden: true, path }))
      const found: FoundHook[] = []
      for (const hook of (seen?.body ?? []) as Hook[]) {
        const number = /\/(\d+)\/?$/.exec(hook.self)?.[1]
        if (hook.url !== url || !number) continue
        const { self: _, ...rest } = hook
        if (hook.enabled === false)
          await call(connection, {
            ...{ method: 'PUT', path: `${path}/${number}` },
            json: { ...rest, enabled: true },
          })
        found.push({ turnedOn: hook.enabled === false })
      }
      found.push(...(await renewed(call, connection, url)))
      if (!seen && found.length === 0)
        return unseen('The account can’t see webhooks. It needs to be a Jira administrator.')
      // One hook is for as many projects as its filter names.
      return healthOf(found, 1)
    },
  }
}

interface Hook {
  self: string
  url: string
  enabled?: boolean
}

/** Hooks that an app has registered expire after thirty days unless they are renewed. */
const renewWithinMs = 10 * 86_400_000

async function renewed(call: Call, connection: Connection, url: string): Promise<FoundHook[]> {
  if (!isJiraCloud(connection)) return []
  const path = '/rest/api/3/webhook'
  const seen = await ifAllowed(call(connection, { mayBeForbidden: true, path, query: { maxResults: 100 } }))
  const values = (seen?.body?.values ?? []) as {
    id: number
    url?: string
    expirationDate?: number | string
  }[]
  // The list has only what the asking app registered.
  const ours = values.filter((hook) => hook.url === undefined || hook.url === url)
  const ending = ours.filter(
    ({ expirationDate: at }) => at !== undefined && new Date(at).getTime() < Date.now() + renewWithinMs,
  )
  if (ending.length > 0)
    await call(connection, {
      ...{ method: 'PUT', path: `${path}/refresh` },
      json: { webhookIds: ending.map(({ id }) => id) },
    })
  return ours.map((hook) => ({ renewed: ending.includes(hook) }))
}
