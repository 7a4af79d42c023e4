import type { reads, writes } from '@signalbox/contract/app/connections.ts'
import { DomainError } from '../../../domain/errors.ts'
import { convertApp } from '../../../domain/tools/connections/apps/convert.ts'
import { dropApp } from '../../../domain/tools/connections/apps/drop.ts'
import { finishApp } from '../../../domain/tools/connections/apps/finish.ts'
import { listPendingApps, readInstallUrl } from '../../../domain/tools/connections/apps/list.ts'
import { startApp } from '../../../domain/tools/connections/apps/start.ts'
import { changeConnection } from '../../../domain/tools/connections/change.ts'
import { connect } from '../../../domain/tools/connections/connect.ts'
import { disconnect } from '../../../domain/tools/connections/disconnect.ts'
import { listConnections, readConnection } from '../../../domain/tools/connections/list.ts'
import { listProjects, listRepositories } from '../../../domain/tools/connections/list-choices.ts'
import { listHookDeliveries } from '../../../domain/tools/connections/list-deliveries.ts'
import { makeWebhook } from '../../../domain/tools/connections/make-webhook.ts'
import { replaceCredentials } from '../../../domain/tools/connections/replace-credentials.ts'
import { replaceWebhookSecret } from '../../../domain/tools/connections/replace-secret.ts'
import { testConnection } from '../../../domain/tools/connections/test-connection.ts'
import { type Handlers, paged } from '../operation.ts'

export const connectionsHandlers: Handlers<typeof reads & typeof writes> = {
  'connections.list': async (ctx, _, tools) => ({ data: await listConnections(ctx, tools) }),
  'connections.read': (ctx, { connection }, tools) => readConnection(ctx, tools, connection),
  'connections.apps': async (ctx) => ({ data: await listPendingApps(ctx) }),
  'connections.installUrl': (ctx, { app }, tools) => readInstallUrl(ctx, tools, app),
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
  'connections.startApp': (ctx, input, tools, { request }) => {
    const { workspace } = request.params as { workspace: string }
    // The address that the person uses: the browser has to come back to where it is signed in.
    const origin = request.headers.origin ?? tools.publicUrl()
    const returnTo = `${origin}/${workspace}/settings/connections/github-app`
    return startApp(ctx, tools, { ...input, returnTo })
  },
  'connections.convertApp': (ctx, input, tools) => convertApp(ctx, tools, input),
  'connections.finishApp': (ctx, { app, state, installation }, tools) => {
    if (state !== undefined)
      return finishApp(ctx, tools, { state, ...(installation === undefined ? {} : { installation }) })
    if (app === undefined)
      throw new DomainError('invalid_request', '`app` is missing: send the id of the app.')
    return finishApp(ctx, tools, { id: app })
  },
  'connections.dropApp': async (ctx, { app }) => {
    await dropApp(ctx, app)
    return null
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
