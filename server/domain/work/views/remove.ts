import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { changesOf } from './changes.ts'
import { deleteView } from './store.ts'

/** Deletes a view of one's own. Another person's looks like one that is not there. */
export async function removeView(ctx: Context, personId: string, id: string): Promise<void> {
  await change(ctx, async (tx) => {
    const view = await deleteView(tx, ctx.workspaceId, personId, id)
    if (!view) throw new DomainError('not_found', 'You have no such view in this workspace.')
    return {
      value: null,
      audit: {
        event: 'view_changed',
        team: view.team,
        entity: { type: 'view', id, name: view.name },
        details: { change: 'removed', changes: changesOf(view, null) },
      },
    }
  })
}
