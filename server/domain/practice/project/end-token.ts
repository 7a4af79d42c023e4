import { revokeToken } from '../../accounts/tokens/revoke.ts'
import { type Context, theService } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { hideToken } from './store.ts'

/**
 * Revokes the runner's token. It was made for the project, so the service may, no matter whose it is. Each start of the
 * runner has its own: those that are over would fill the list of the person's tokens.
 */
export async function endToken(ctx: Context, { tokenId }: { tokenId: string | null }): Promise<void> {
  if (!tokenId) return
  await revokeToken({ ...ctx, actor: theService }, tokenId).catch((error: { code?: string }) => {
    if (error.code !== 'conflict' && error.code !== 'not_found') throw error
  })
  await housekeeping(ctx.db, 'a revoked token of a practice runner is in no list', (tx) =>
    hideToken(tx, ctx.workspaceId, tokenId),
  )
}
