import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import { change } from '../../../record/audit/change.ts'
import { requireRole } from '../../../roles.ts'
import { deleteApp, lockApp } from './store.ts'

/** Forgets an app that was never installed, with its key. At GitHub it stays until someone deletes it there. */
export async function dropApp(ctx: Context, id: string): Promise<void> {
  requireRole(ctx, 'admin', 'remove a GitHub App')
  await change(ctx, async (tx) => {
    const app = await lockApp(tx, ctx.workspaceId, id, ctx.clock.now())
    if (!app) throw notFound('connection', id)
    await deleteApp(tx, ctx.workspaceId, id)
    return {
      value: undefined,
      audit: {
        event: 'connection_changed',
        entity: { type: 'connection', id, name: app.name },
        details: { change: 'app_removed' },
      },
    }
  })
}
