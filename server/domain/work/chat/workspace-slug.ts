import type { Context } from '../../context.ts'
import { selectWorkspaceSlug } from './store.ts'

/** What the addresses of the workspace begin with. */
export const readWorkspaceSlug = (ctx: Context): Promise<string> =>
  selectWorkspaceSlug(ctx.db, ctx.workspaceId)
