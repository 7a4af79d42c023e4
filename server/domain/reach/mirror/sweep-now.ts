import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { hastenMirror, selectBindings } from './store.ts'

/** Has the tracker looked at without waiting for its turn. */
export async function sweepNow(ctx: Context, slug: string): Promise<void> {
  requireRole(ctx, 'member', 'check the tracker')
  const [binding] = await selectBindings(ctx.db, ctx.workspaceId, { slug })
  if (!binding) throw new DomainError('conflict', `Team \`${slug}\` has no tracker connected.`)
  await housekeeping(ctx.db, 'look at a tracker now', (tx) =>
    hastenMirror(tx, ctx.workspaceId, binding.team.id, ctx.clock.now()),
  )
}
