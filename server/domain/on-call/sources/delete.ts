import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { dropRefusals } from '../../tools/connections/clear-refusal.ts'
import { recoverAll } from '../signals/recover-all.ts'
import { lockSource, updateSource } from './store.ts'

/**
 * Deletes a source. When this returns, its address is unknown on every node. What it delivered stays; what still fires
 * counts as recovered, because nothing will report its recovery any more.
 */
export async function deleteSource(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'delete a source')
  const sequence = await change(ctx, async (tx) => {
    const source = await lockSource(tx, ctx.workspaceId, id)
    if (!source) throw notFound('source', id)
    await refuseManaged(ctx, tx, 'sources', id)
    const at = ctx.clock.now()
    await updateSource(tx, ctx.workspaceId, id, { deletedAt: at, services: [] }, at)
    await dropRefusals(ctx, tx, { sourceId: id })
    await recoverAll(tx, ctx.workspaceId, id, at)
    return {
      value: await invalidate(tx),
      audit: [
        {
          event: 'signal_source_changed',
          entity: { type: 'signal_source', id, name: source.name },
          details: { change: 'deleted' },
        },
        ...(await forgetMark(ctx, tx, 'sources', id)),
      ],
    }
  })
  await confirmed(ctx.db, sequence)
}
