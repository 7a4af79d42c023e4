import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { updateName } from './store.ts'

/** Gives the workspace another name. Its slug stays: addresses and bookmarks hold it. */
export async function changeWorkspace(ctx: Context, input: { name: string }): Promise<void> {
  requireRole(ctx, 'admin', 'rename the workspace')
  const name = input.name.trim()
  if (!name) throw new DomainError('invalid_request', 'A workspace needs a name.')
  await change(ctx, async (tx) => {
    const before = await updateName(tx, ctx.workspaceId, name)
    if (!before) throw new DomainError('not_found', 'This workspace was deleted.')
    if (before.name === name) throw new DomainError('conflict', `The workspace is already called ${name}.`)
    return {
      value: null,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: before.slug, name },
        details: { changes: [{ field: 'name', before: before.name, after: name }] },
      },
    }
  })
}
