import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockSource, updateSource } from './store.ts'

/** Pauses a source, or takes it up again. While it is paused, deliveries are recorded and lead to nothing. */
export async function pauseSource(ctx: Context, id: string, paused: boolean): Promise<void> {
  requireRole(ctx, 'admin', 'pause a source')
  const sequence = await change(ctx, async (tx) => {
    const source = await lockSource(tx, ctx.workspaceId, id)
    if (!source) throw notFound('source', id)
    if ((source.paused_at !== null) === paused)
      throw new DomainError('conflict', `The source is ${paused ? 'already paused' : 'not paused'}.`)
    const at = ctx.clock.now()
    await updateSource(tx, ctx.workspaceId, id, { pausedAt: paused ? at : null }, at)
    return {
      value: await invalidate(tx),
      audit: {
        event: 'signal_source_changed',
        entity: { type: 'signal_source', id, name: source.name },
        details: { change: paused ? 'paused' : 'resumed' },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}
