import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { asking, connectorOf } from './ask.ts'
import { checkedBaseUrl } from './base-url.ts'
import { checkedCredentials } from './check-credentials.ts'
import { tryAgain } from './clear-refusal.ts'
import { type Connecting, newWebhookSecret } from './connect.ts'
import { openConnection } from './open.ts'
import { credentialsRow, webhookSecretRow } from './sealed-rows.ts'
import { selectConnectionForUpdate, updateConnection, updateHealth } from './store.ts'

/**
 * Gives a connection new credentials without a gap: the tool is asked with the new ones first, and until it has said yes
 * the old ones stay in use.
 */
export async function replaceCredentials(
  ctx: Context,
  { connectors, secrets }: Connecting,
  id: string,
  input: { baseUrl?: string; credentials: Record<string, string> },
): Promise<{ account: string; missing: string[] }> {
  requireRole(ctx, 'admin', 'replace the credentials of a connection')
  const former = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, id)
  const { kind } = former
  const { method, credentials } = checkedCredentials(kind, input.credentials)
  const baseUrl = input.baseUrl === undefined ? former.baseUrl : checkedBaseUrl(kind, input.baseUrl)
  // Under a name of its own: what is said to credentials that are only tried says nothing about the connection.
  const tried = { ...former, id: newId(ctx.clock.now()), baseUrl, credentials }
  const { account, missing } = await asking(connectorOf(connectors, kind).check(tried))
  // What was agreed with one server is nothing that another should know: its webhooks are created with a new secret.
  const hasMoved = new URL(baseUrl).origin !== new URL(former.baseUrl).origin
  return change(ctx, async (tx) => {
    const before = await selectConnectionForUpdate(tx, ctx.workspaceId, id)
    if (!before) throw notFound('connection', id)
    await refuseManaged(ctx, tx, 'connections', id)
    // A host the credentials were not tested against must not get them.
    if (input.baseUrl === undefined && before.base_url !== baseUrl)
      throw new DomainError('changed_meanwhile', 'The address of the connection was changed. Try again.')
    await updateConnection(
      tx,
      ctx.workspaceId,
      id,
      {
        ...{ baseUrl, method, account, missing },
        credentials: secrets.encrypt(JSON.stringify(credentials), credentialsRow(id)),
        ...(hasMoved
          ? {
              secret: {
                current: secrets.encrypt(newWebhookSecret(kind), webhookSecretRow(id)),
                ...{ former: null, formerUntil: null },
              },
            }
          : {}),
      },
      ctx.clock.now(),
    )
    const changes = [
      { field: 'baseUrl', before: before.base_url, after: baseUrl },
      { field: 'method', before: before.method, after: method },
      { field: 'account', before: before.account, after: account },
    ].filter((one) => one.before !== one.after)
    await updateHealth(tx, ctx.workspaceId, id, { result: 'done' }, ctx.clock.now())
    await ctx.queue.send(tx, { task: 'repositories', workspaceId: ctx.workspaceId, id: id })
    const replaced: Entry = {
      event: 'connection_changed',
      entity: { type: 'connection', id, name: before.name },
      details: { change: 'credentials_replaced', changes },
    }
    return {
      value: { account, missing },
      audit: [replaced, ...(await tryAgain(ctx, tx, { connectionId: id }))],
    }
  })
}
