import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockEndpoint } from './lock.ts'
import { newSecret, secretRow } from './secret.ts'
import { updateEndpoint } from './store.ts'

/** For a day messages are signed with both, while the receiver gets the new one. */
const overlapHours = 24

/** Gives an endpoint a new secret, shown here and never again. */
export async function rotateSecret(
  ctx: Context,
  secrets: Pick<Secrets, 'encrypt'>,
  id: string,
): Promise<{ secret: string; formerUntil: Date }> {
  requireRole(ctx, 'admin', "rotate a webhook endpoint's secret")
  const secret = newSecret()
  return change(ctx, async (tx) => {
    const endpoint = await lockEndpoint(ctx, tx, id)
    const at = ctx.clock.now()
    const formerUntil = new Date(at.getTime() + overlapHours * 3_600_000)
    const rotated = {
      current: secrets.encrypt(secret, secretRow(id)),
      former: endpoint.secret,
      formerUntil,
    }
    await updateEndpoint(tx, ctx.workspaceId, id, { secret: rotated }, at)
    return {
      value: { secret, formerUntil },
      audit: {
        event: 'webhook_endpoint_changed',
        entity: endpoint.entity,
        details: { change: 'secret rotated', formerSecretUntil: formerUntil.toISOString() },
      },
    }
  })
}
