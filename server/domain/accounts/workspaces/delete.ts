import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { markDeleted } from './store.ts'

/** Closes a workspace to everyone; its tokens stop working on every node before this returns. */
export async function deleteWorkspace(
  ctx: Context,
  workspace: { slug: string; name: string },
): Promise<void> {
  requireRole(ctx, 'owner', 'delete the workspace')
  const sequence = await change(ctx, async (tx) => {
    if (!(await markDeleted(tx, ctx.workspaceId, ctx.clock.now()))) {
      throw new DomainError('not_found', `There is no workspace ${workspace.slug}.`)
    }
    return {
      value: await invalidate(tx),
      audit: {
        event: 'workspace_deleted',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}
