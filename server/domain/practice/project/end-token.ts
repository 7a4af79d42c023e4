import { revokeToken } from '../../accounts/tokens/revoke.ts'
import { type Context, theService } from '../../context.ts'

/** Revokes the runner's token. It was made for the project, so the service may, no matter whose it is. */
export async function endToken(ctx: Context, { tokenId }: { tokenId: string | null }): Promise<void> {
  if (!tokenId) return
  await revokeToken({ ...ctx, actor: theService }, tokenId).catch((error: { code?: string }) => {
    if (error.code !== 'conflict' && error.code !== 'not_found') throw error
  })
}
