import type { Connection } from '../../domain/ports/connection.ts'
import type { Connector } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
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
        account: body.emailAddress || body.name || body.displayName,
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
        filters: { 'issue-related-events-section': `project = ${scope}` },
      }
      const number = ours && /\/(\d+)\/?$/.exec(ours.self)?.[1]
      if (number) await call(connection, { method: 'PUT', path: `${path}/${number}`, json })
      else await call(connection, { method: 'POST', path, json })
    },
  }
}
