import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockSource, updateSource } from './store.ts'

/** Ends the day on which the secret of before a rotation is accepted too. When this returns, it is refused everywhere. */
export async function endFormerSecret(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', "end a source's old secret")
  const sequence = await change(ctx, async (tx) => {
    const source = await lockSource(tx, ctx.workspaceId, id)
    if (!source) throw notFound('source', id)
    const at = ctx.clock.now()
    if (!source.former_until || source.former_until <= at)
      throw new DomainError('conflict', 'The source has no old secret that still works.')
    await updateSource(tx, ctx.workspaceId, id, { formerSecret: null }, at)
    return {
      value: await invalidate(tx),
      audit: {
        event: 'signal_source_changed',
        entity: { type: 'signal_source', id, name: source.name },
        details: { change: 'former secret ended' },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}
