import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { updateByEmail } from './store.ts'

/** Whether a person of the chat tool is taken for the member who has the same verified email address. */
export async function allowLinkByEmail(ctx: Context, allowed: boolean): Promise<void> {
  requireRole(ctx, 'owner', 'change who people in chat are')
  await change(ctx, async (tx) => {
    const workspace = await updateByEmail(tx, ctx.workspaceId, allowed)
    if (!workspace) return { value: undefined, audit: [] }
    return {
      value: undefined,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
        details: { changes: [{ field: 'chat accounts linked by email', before: !allowed, after: allowed }] },
      },
    }
  })
}
