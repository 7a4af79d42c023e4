import type { Connector } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { type FoundHook, healthOf, ifAllowed, unseen } from './hook-health.ts'
import { linearQuery } from './linear-query.ts'
import { linearProof } from './proofs/linear.ts'

const who = 'query { viewer { id displayName email } organization { urlKey } }'

const teams = `query($filter: TeamFilter) {
  organization { urlKey }
  teams(first: 100, filter: $filter) { nodes { id key name } }
}`

const hooks = 'query { webhooks(first: 100) { nodes { id url enabled team { id } } } }'
const createHook = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }'
const updateHook =
  'mutation($id: String!, $input: WebhookUpdateInput!) { webhookUpdate(id: $id, input: $input) { success } }'

interface Hooks {
  webhooks: { nodes: { id: string; url: string; enabled: boolean; team: { id: string } | null }[] }
}

const resourceTypes = ['Issue', 'Comment', 'IssueLabel']

/** Linear, with a personal API key. Its teams are what the others call projects. */
export function linearConnector(call: Call): Connector {
  return {
    kind: 'linear',
    proof: linearProof,

    async check(connection) {
      const { viewer } = await linearQuery<{ viewer: { displayName: string; email: string } }>(
        call,
        connection,
        who,
      )
      const found = await linearQuery<{ teams: { nodes: unknown[] } }>(call, connection, teams)
      const missing = found.teams.nodes.length === 0 ? ['The key doesn’t have access to any team.'] : []
      return { account: viewer.email || viewer.displayName, missing }
    },

    async projects(connection, query) {
      const words = query.trim()
      const filter = words
        ? { or: [{ name: { containsIgnoreCase: words } }, { key: { eqIgnoreCase: words } }] }
        : undefined
      const found = await linearQuery<{
        organization: { urlKey: string }
        teams: { nodes: { id: string; key: string; name: string }[] }
      }>(call, connection, teams, filter ? { filter } : {})
      const { urlKey } = found.organization
      return found.teams.nodes.map((team) => ({
        ...team,
        url: `https://linear.app/${urlKey}/team/${team.key}`,
      }))
    },

    async makeWebhook(connection, { url, secret, scope }) {
      const { webhooks } = await linearQuery<Hooks>(call, connection, hooks)
      const ours = webhooks.nodes.find(
        (hook) => hook.url === url && (!hook.team || hook.team.id === scope.id),
      )
      if (ours)
        await linearQuery(call, connection, updateHook, {
          id: ours.id,
          input: { secret, resourceTypes, enabled: true },
        })
      else
        await linearQuery(call, connection, createHook, {
          input: { url, secret, teamId: scope.id, resourceTypes, label: 'Signalbox' },
        })
    },

    async lookAfterHooks(connection, { url, scopes }) {
      const seen = await ifAllowed(linearQuery<Hooks>(call, connection, hooks))
      if (!seen) return unseen('The key can’t see webhooks. It needs to be the key of an admin.')
      const found: FoundHook[] = []
      for (const hook of seen.webhooks.nodes) {
        if (hook.url !== url || (hook.team && !scopes.some(({ id }) => id === hook.team!.id))) continue
        if (!hook.enabled)
          await linearQuery(call, connection, updateHook, { id: hook.id, input: { enabled: true } })
        // Linear tries three times and then turns the hook off; the sweep has what was in between.
        found.push({ turnedOn: !hook.enabled })
      }
      const isForAll = seen.webhooks.nodes.some((hook) => hook.url === url && !hook.team)
      return healthOf(found, isForAll ? 1 : scopes.length)
    },
  }
}
