import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { forgetMark } from '../../record/managed/mark.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { lockService, markDeleted, selectService } from './store.ts'

/** Deletes a service. Its incidents stay; alerts that name it are recorded as unrouted from now on. */
export async function deleteService(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'delete a service')
  await change(ctx, async (tx) => {
    if (!(await lockService(tx, ctx.workspaceId, id))) throw notFound('service', id)
    await refuseManaged(ctx, tx, 'services', id)
    const { name, team } = fromJson((await selectService(tx, ctx.workspaceId, id))!.json)
    await markDeleted(tx, ctx.workspaceId, id, ctx.clock.now())
    return {
      value: undefined,
      audit: [
        {
          event: 'service_changed',
          team,
          entity: { type: 'service', id, name },
          details: { change: 'deleted' },
        },
        ...(await forgetMark(ctx, tx, 'services', id)),
      ],
    }
  })
}
