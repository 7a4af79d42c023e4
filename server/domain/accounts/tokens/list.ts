import type { Token } from '@signalbox/contract/app/tokens.ts'
import type { Context } from '../../context.ts'
import { selectTokensOf } from './store.ts'

/** The caller's own tokens, newest first. No one sees another person's. */
export async function listTokens(ctx: Context): Promise<Token[]> {
  if (ctx.actor.type !== 'human') return []
  return [...(await selectTokensOf(ctx.db, ctx.workspaceId, ctx.actor.userId))]
}
