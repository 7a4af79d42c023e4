import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { selectWorkspaceById } from './store.ts'

/** The workspace one is in. */
export async function readWorkspace(ctx: Pick<Context, 'db' | 'workspaceId'>) {
  const workspace = await selectWorkspaceById(ctx.db, ctx.workspaceId)
  if (!workspace) throw new DomainError('not_found', 'This workspace was deleted.')
  return workspace
}
