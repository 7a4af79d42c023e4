import type { reads, writes } from '@signalbox/contract/app/connections.ts'
import { changeConnection } from '../../domain/connections/change.ts'
import { connect } from '../../domain/connections/connect.ts'
import { disconnect } from '../../domain/connections/disconnect.ts'
import { listConnections, readConnection } from '../../domain/connections/list.ts'
import { listProjects, listRepositories } from '../../domain/connections/list-choices.ts'
import { listHookDeliveries } from '../../domain/connections/list-deliveries.ts'
import { makeWebhook } from '../../domain/connections/make-webhook.ts'
import { replaceCredentials } from '../../domain/connections/replace-credentials.ts'
import { replaceWebhookSecret } from '../../domain/connections/replace-secret.ts'
import { testConnection } from '../../domain/connections/test-connection.ts'
import { type Handlers, paged } from './operation.ts'

export const connectionsHandlers: Handlers<typeof reads & typeof writes> = {
  'connections.list': async (ctx, _, tools) => ({ data: await listConnections(ctx, tools) }),
  'connections.read': (ctx, { connection }, tools) => readConnection(ctx, tools, connection),
  'connections.deliveries': (ctx, input, tools) =>
    paged(ctx, tools, 'connections.deliveries', input, (page) =>
      listHookDeliveries(ctx, input.connection, page),
    ),
  'connections.projects': async (ctx, { connection, query }, tools) => ({
    data: (await listProjects(ctx, tools, connection, query ?? '')).projects,
  }),
  'connections.repositories': async (ctx, { connection, query }, tools) => ({
    data: (await listRepositories(ctx, tools, connection, query ?? '')).repositories,
  }),
  'connections.connect': async (ctx, input, tools) => {
    const { hookToken, ...connected } = await connect(ctx, tools, input)
    return { ...connected, hookUrl: `${tools.publicUrl()}/hooks/${hookToken}` }
  },
  'connections.change': async (ctx, { connection, name }) => {
    await changeConnection(ctx, connection, { name })
    return null
  },
  'connections.replaceCredentials': (ctx, { connection, ...input }, tools) =>
    replaceCredentials(ctx, tools, connection, input),
  'connections.test': (ctx, { connection }, tools) => testConnection(ctx, tools, connection),
  'connections.replaceSecret': async (ctx, { connection, ...input }, { secrets }) => {
    const { webhookSecret, formerUntil } = await replaceWebhookSecret(ctx, secrets, connection, input)
    return { webhookSecret, formerSecretUntil: formerUntil.toISOString() }
  },
  'connections.makeWebhook': async (ctx, { connection, scope }, tools) => {
    await makeWebhook(ctx, tools, connection, scope)
    return null
  },
  'connections.disconnect': async (ctx, { connection }) => {
    await disconnect(ctx, connection)
    return null
  },
}
