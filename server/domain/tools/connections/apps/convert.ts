import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { Secrets } from '../../../../infra/secrets.ts'
import type { Context } from '../../../context.ts'
import { DomainError } from '../../../errors.ts'
import type { Connectors } from '../../../ports/connector.ts'
import { change, housekeeping } from '../../../record/audit/change.ts'
import { requireRole } from '../../../roles.ts'
import { asking } from '../ask.ts'
import { newWebhookSecret } from '../connect.ts'
import { credentialsRow, webhookSecretRow } from '../sealed-rows.ts'
import { appsOf } from './apps-of.ts'
import { appNamedIn, isState } from './state.ts'
import { selectApp, updateApp, useState } from './store.ts'

/** An organization's owner may have to approve it first. */
const daysToInstall = 30

interface Converting {
  connectors: Connectors
  secrets: Pick<Secrets, 'encrypt' | 'macKeys'>
}

/**
 * Turns the code that GitHub sent back into the app's own key and secret, which are sealed. A state is used once,
 * whatever becomes of the code: who tries again begins again.
 */
export async function convertApp(
  ctx: Context,
  { connectors, secrets }: Converting,
  { code, state }: { code: string; state: string },
): Promise<{ id: string }> {
  requireRole(ctx, 'admin', 'create a GitHub App')
  const { workspaceId, actor } = ctx
  const id = appNamedIn(state)
  const app = id === null ? undefined : await selectApp(ctx.db, workspaceId, id, ctx.clock.now())
  const personId = actor.type === 'human' ? actor.userId : ''
  if (
    !id ||
    !app ||
    app.personId !== personId ||
    !isState(secrets, 'create', { workspaceId, id, personId }, state)
  )
    throw stale()
  const used = await housekeeping(ctx.db, 'use the state of an app up', (tx) =>
    useState(tx, workspaceId, id, ctx.clock.now()),
  )
  if (!used) throw stale()
  const made = await asking(appsOf(connectors).convert({ id, workspaceId, baseUrl: app.baseUrl }, code))
  const { appId, clientId, privateKey, slug, installUrl } = made
  const at = ctx.clock.now()
  const name = made.name.slice(0, maxNameLength)
  await change(ctx, async (tx) => {
    await updateApp(tx, workspaceId, id, {
      credentials: secrets.encrypt(JSON.stringify({ appId, clientId, privateKey }), credentialsRow(id)),
      webhookSecret: secrets.encrypt(made.webhookSecret ?? newWebhookSecret('github'), webhookSecretRow(id)),
      ...{ name, slug, installUrl },
      expiresAt: new Date(at.getTime() + daysToInstall * 86_400_000),
    })
    return {
      value: undefined,
      audit: {
        event: 'connection_changed',
        entity: { type: 'connection', id, name },
        details: { change: 'app_created', baseUrl: app.baseUrl, app: slug },
      },
    }
  })
  return { id }
}

const stale = () =>
  new DomainError(
    'conflict',
    'This link was used before, is too old, or belongs to someone else. Create the GitHub App again.',
  )
