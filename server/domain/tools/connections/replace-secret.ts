import { secretLength } from '@signalbox/contract/limits.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { newWebhookSecret } from './connect.ts'
import { webhookSecretRow } from './sealed-rows.ts'
import { selectConnectionForUpdate, updateConnection } from './store.ts'

/** The tools drop what is refused, so for a day both secrets are accepted while the new one is carried over. */
const overlapHours = 24

/** Gives the webhooks of a connection a new secret, or the one that the tool has made. */
export async function replaceWebhookSecret(
  ctx: Context,
  secrets: Pick<Secrets, 'encrypt'>,
  id: string,
  input: { secret?: string } = {},
): Promise<{ webhookSecret: string; formerUntil: Date }> {
  requireRole(ctx, 'admin', "replace a connection's webhook secret")
  const { secret } = input
  const { least, most } = secretLength
  if (
    secret !== undefined &&
    !(secret.length >= least && secret.length <= most && /^[\x21-\x7e]+$/.test(secret))
  )
    throw new DomainError(
      'invalid_request',
      `The secret must have ${least} to ${most} printable characters without spaces.`,
    )
  return change(ctx, async (tx) => {
    const found = await selectConnectionForUpdate(tx, ctx.workspaceId, id)
    if (!found) throw notFound('connection', id)
    const webhookSecret = secret ?? newWebhookSecret(found.kind)
    const at = ctx.clock.now()
    const formerUntil = new Date(at.getTime() + overlapHours * 3_600_000)
    const replaced = {
      ...{ former: found.webhook_secret, formerUntil },
      current: secrets.encrypt(webhookSecret, webhookSecretRow(id)),
    }
    await updateConnection(tx, ctx.workspaceId, id, { secret: replaced }, at)
    return {
      value: { webhookSecret, formerUntil },
      audit: {
        event: 'connection_changed',
        entity: { type: 'connection', id, name: found.name },
        details: { change: 'webhook_secret_replaced', formerSecretUntil: formerUntil.toISOString() },
      },
    }
  })
}
