import type { Checklist } from '@signalbox/contract/app/workspaces.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { selectChecklist, updateChecklist } from './store.ts'

/** What a new workspace has done of its first steps. */
export async function readChecklist(ctx: Context): Promise<Checklist> {
  const found = await selectChecklist(ctx.db, ctx.workspaceId)
  if (!found) throw new DomainError('not_found', 'This workspace was deleted.')
  return found
}

/** Takes the checklist out of everybody's way, or brings it back. */
export async function putChecklistAway(ctx: Context, putAway: boolean): Promise<void> {
  requireRole(ctx, 'admin', 'put the checklist away')
  await change(ctx, async (tx) => {
    const before = await updateChecklist(tx, ctx.workspaceId, putAway ? ctx.clock.now() : null)
    if (!before) throw new DomainError('not_found', 'This workspace was deleted.')
    if (before.putAway === putAway) return { value: undefined, audit: [] }
    return {
      value: undefined,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: before.slug, name: before.name },
        details: { changes: [{ field: 'checklist', before: shown(before.putAway), after: shown(putAway) }] },
      },
    }
  })
}

const shown = (putAway: boolean) => (putAway ? 'put away' : 'shown')
