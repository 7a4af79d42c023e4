import type { Secrets } from '../../../../infra/secrets.ts'
import type { Context } from '../../../context.ts'
import { DomainError, notFound } from '../../../errors.ts'
import type { Connectors } from '../../../ports/connector.ts'
import { change } from '../../../record/audit/change.ts'
import { requireRole } from '../../../roles.ts'
import { asking, connectorOf } from '../ask.ts'
import { hookDigest } from '../connect.ts'
import { credentialsRow, hookTokenRow } from '../sealed-rows.ts'
import { insertConnection } from '../store.ts'
import { appsOf } from './apps-of.ts'
import { appNamedIn, isState } from './state.ts'
import { deleteApp, lockApp, selectApp } from './store.ts'

interface Finishing {
  connectors: Connectors
  secrets: Pick<Secrets, 'encrypt' | 'decrypt' | 'macKeys'>
}

/** Identified by its own id, or by what the browser brought back from GitHub. */
type Named = { id: string } | { state: string; installation?: number }

/**
 * Makes a connection of an app once it is installed. Which installations there are is asked with the app's own key:
 * what an address says about it is not believed.
 */
export async function finishApp(
  ctx: Context,
  { connectors, secrets }: Finishing,
  input: Named,
): Promise<{ id: string; account: string; missing: string[] }> {
  requireRole(ctx, 'admin', 'connect a tool')
  const { workspaceId } = ctx
  const id = ('id' in input ? input.id : appNamedIn(input.state)) ?? 'unknown'
  const app = id === 'unknown' ? undefined : await selectApp(ctx.db, workspaceId, id, ctx.clock.now())
  if (!app?.credentials) throw notFound('connection', id)
  if (
    'state' in input &&
    !isState(secrets, 'install', { workspaceId, id, personId: app.personId }, input.state)
  )
    throw new DomainError('conflict', 'This link doesn’t belong to the app. Open Connections and try again.')
  const installation = 'installation' in input ? input.installation : undefined
  const { name, baseUrl } = app
  const own = JSON.parse(secrets.decrypt(app.credentials, credentialsRow(id))) as Record<string, string>
  const pending = { id, workspaceId, kind: 'github' as const, name, baseUrl, account: null, credentials: own }
  const installations = await asking(appsOf(connectors).installations(pending))
  const found = installations.find((one) => one === installation) ?? installations[0]
  if (found === undefined)
    throw new DomainError(
      'conflict',
      'The app isn’t installed yet. Install it on GitHub. In an organization, an owner may have to approve it.',
    )
  const credentials = { ...own, installationId: `${found}` }
  const { account, missing } = await asking(
    connectorOf(connectors, 'github').check({ ...pending, credentials }),
  )
  const at = ctx.clock.now()
  return change(ctx, async (tx) => {
    const held = await lockApp(tx, workspaceId, id, at)
    if (!held?.webhookSecret) throw notFound('connection', id)
    await insertConnection(tx, workspaceId, {
      ...{ id, kind: 'github', method: 'app', name, baseUrl, account, missing, at },
      credentials: secrets.encrypt(JSON.stringify(credentials), credentialsRow(id)),
      hookToken: held.hookToken,
      hookTokenHash: hookDigest(secrets.decrypt(held.hookToken, hookTokenRow(id))),
      webhookSecret: held.webhookSecret,
    })
    await deleteApp(tx, workspaceId, id)
    return {
      value: { id, account, missing },
      audit: {
        event: 'connection_changed',
        entity: { type: 'connection', id, name },
        details: { change: 'connected', kind: 'github', baseUrl, account },
      },
    }
  })
}
