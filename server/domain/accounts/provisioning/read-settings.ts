import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { selectMappings, selectScimTokens } from './store.ts'

/** What owners see of how an identity provider manages the workspace's people. */
export async function readProvisioning(ctx: Context) {
  requireRole(ctx, 'owner', 'see the settings of single sign-on')
  const [tokens, groups] = await Promise.all([
    selectScimTokens(ctx.db, ctx.workspaceId),
    selectMappings(ctx.db, ctx.workspaceId),
  ])
  return { tokens: [...tokens], groups: [...groups] }
}
