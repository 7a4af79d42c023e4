import type { Db, Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockWorkspace, selectRunnerApproval, updateRunnerApproval } from './store.ts'

/** Whether an owner or admin has to approve each new runner. Off at first: any token of the workspace enrols one. */
export const readRunnerApproval = ({ db, workspaceId }: { db: Db | Tx; workspaceId: string }) =>
  selectRunnerApproval(db, workspaceId)

/** Runners that are known already stay as they are, whichever way it is changed. */
export async function setRunnerApproval(ctx: Context, required: boolean): Promise<void> {
  requireRole(ctx, 'admin', 'change whether new runners need approval')
  await change(ctx, async (tx) => {
    const workspace = await lockWorkspace(tx, ctx.workspaceId)
    if (!workspace) throw new DomainError('not_found', 'This workspace was deleted.')
    const before = await selectRunnerApproval(tx, ctx.workspaceId)
    if (before === required)
      throw new DomainError('conflict', `Approval of new runners is already ${words(required)}.`)
    await updateRunnerApproval(tx, ctx.workspaceId, required)
    return {
      value: undefined,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
        details: { changes: [{ field: 'runnerApproval', before: words(before), after: words(required) }] },
      },
    }
  })
}

const words = (required: boolean) => (required ? 'required' : 'not required')
