import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedSecret, newSecret } from './add.ts'
import { secretRow } from './secret-row.ts'
import { lockSource, updateSource } from './store.ts'

/** Senders drop what is refused, so for a day both secrets are accepted while the new one is carried over. */
const overlapHours = 24

/** Gives a source a new secret, shown here and never again. */
export async function rotateSecret(
  ctx: Context,
  secrets: Pick<Secrets, 'encrypt'>,
  id: string,
  input: { secret?: string } = {},
): Promise<{ secret: string; formerUntil: Date }> {
  requireRole(ctx, 'admin', "rotate a source's secret")
  const secret = checkedSecret(input.secret ?? newSecret())
  const { formerUntil, sequence } = await change(ctx, async (tx) => {
    const source = await lockSource(tx, ctx.workspaceId, id)
    if (!source) throw notFound('source', id)
    if (!source.secret) throw new DomainError('conflict', `A source of kind ${source.kind} has no secret.`)
    const at = ctx.clock.now()
    const until = new Date(at.getTime() + overlapHours * 3_600_000)
    const rotated = {
      current: secrets.encrypt(secret, secretRow(id)),
      former: source.secret,
      formerUntil: until,
    }
    await updateSource(tx, ctx.workspaceId, id, { secret: rotated }, at)
    return {
      value: { formerUntil: until, sequence: await invalidate(tx) },
      audit: {
        event: 'signal_source_changed',
        entity: { type: 'signal_source', id, name: source.name },
        details: { change: 'secret rotated', formerSecretUntil: until.toISOString() },
      },
    }
  })
  await confirmed(ctx.db, sequence)
  return { secret, formerUntil }
}
