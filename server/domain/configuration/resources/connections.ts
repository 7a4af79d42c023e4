import { isDeepStrictEqual } from 'node:util'
import type { ManagedConnection } from '@signalbox/contract/manage/connections.ts'
import { DomainError } from '../../errors.ts'
import { checkedBaseUrl } from '../../tools/connections/base-url.ts'
import { changeConnection } from '../../tools/connections/change.ts'
import { checkedCredentials } from '../../tools/connections/check-credentials.ts'
import { connect } from '../../tools/connections/connect.ts'
import { disconnect } from '../../tools/connections/disconnect.ts'
import { listConnections } from '../../tools/connections/list.ts'
import { openConnection } from '../../tools/connections/open.ts'
import { replaceCredentials } from '../../tools/connections/replace-credentials.ts'
import { givenSecret } from './given-secret.ts'
import type { Kind } from './kind.ts'
import { suggestedName } from './suggested.ts'

export const connectionsKind: Kind<ManagedConnection> = {
  list: async (ctx, _, tools) =>
    (await listConnections(ctx, tools)).map(({ id, kind, name, baseUrl }) => ({
      ...{ id, suggested: suggestedName(name) },
      spec: { kind, name, baseUrl },
    })),
  full: ({ kind, name, baseUrl, credentials }) => ({
    ...{ kind, name: name.trim(), baseUrl: checkedBaseUrl(kind, baseUrl) },
    ...(credentials ? { credentials } : {}),
  }),
  brief({ kind, name, baseUrl }) {
    const isUsual = hasUsualAddress(kind) && baseUrl === checkedBaseUrl(kind, undefined)
    return { kind, name, ...(isUsual || baseUrl === undefined ? {} : { baseUrl }) }
  },
  refers: () => [],
  check(_, { before, wanted }) {
    const { kind, credentials } = wanted
    if (before) refuseOther(before, wanted)
    else if (!credentials) throw new DomainError('invalid_request', credentialsNeeded)
    if (credentials && Object.values(credentials).every((secret) => 'value' in secret))
      checkedCredentials(kind, valuesOf(credentials))
  },
  isSame: (given, found) => given.kind === found.kind && given.name === found.name,
  secrets: {
    field: 'credentials',
    of: ({ credentials = {} }) => Object.values(credentials),
    async differ(ctx, id, { kind, credentials }, { secrets }) {
      // One that was left where it is cannot be compared.
      if (!credentials || !Object.values(credentials).every((secret) => 'value' in secret)) return false
      const known = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, id)
      const given = checkedCredentials(kind, valuesOf(credentials)).credentials
      return !isDeepStrictEqual({ ...known.credentials }, given)
    },
  },
  async create(ctx, _, { kind, name, baseUrl, credentials }, { tools, mark }) {
    if (!credentials) throw new DomainError('invalid_request', credentialsNeeded)
    const where = baseUrl === undefined ? {} : { baseUrl }
    const asked = { kind, name, ...where, credentials: valuesOf(credentials) }
    return (await connect(ctx, tools, asked, mark)).id
  },
  async change(ctx, id, { before, wanted }, { tools }) {
    refuseOther(before, wanted)
    const { kind, name, baseUrl, credentials } = wanted
    if (name !== before.name) await changeConnection(ctx, id, { name })
    const isNew =
      credentials && (await connectionsKind.secrets!.differ(ctx, id, { kind, name, credentials }, tools))
    if (credentials && (isNew || baseUrl !== before.baseUrl))
      await replaceCredentials(ctx, tools, id, {
        ...(baseUrl === undefined ? {} : { baseUrl }),
        credentials: valuesOf(credentials),
      })
  },
  remove: (ctx, id) => disconnect(ctx, id),
}

const credentialsNeeded = 'A new connection needs `credentials`, each as `env` or `file`.'

function refuseOther(before: ManagedConnection, { kind, baseUrl, credentials }: ManagedConnection): void {
  if (before.kind !== kind)
    throw new DomainError(
      'invalid_request',
      `The tool of a connection cannot be changed: it is ${before.kind}. Describe another connection under another name.`,
    )
  if (baseUrl !== before.baseUrl && !credentials)
    throw new DomainError('invalid_request', 'Another `baseUrl` needs `credentials` for it.')
}

const valuesOf = (credentials: NonNullable<ManagedConnection['credentials']>): Record<string, string> =>
  Object.fromEntries(Object.entries(credentials).map(([name, secret]) => [name, givenSecret(secret)]))

/** Jira is at another address for every customer. */
function hasUsualAddress(kind: ManagedConnection['kind']): boolean {
  try {
    checkedBaseUrl(kind, undefined)
    return true
  } catch {
    return false
  }
}
