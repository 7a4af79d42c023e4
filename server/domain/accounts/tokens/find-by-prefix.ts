import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { findTokensByPrefix } from './store.ts'

/** The id of the token whose id, or first eleven characters, are given. */
export async function findTokenByPrefix(ctx: Context, idOrPrefix: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrPrefix)) return idOrPrefix
  const found = await findTokensByPrefix(ctx.db, ctx.workspaceId, idOrPrefix.slice(0, 11))
  if (found.length === 1) return found[0]!.id
  if (found.length === 0) throw new DomainError('not_found', `There is no token ${idOrPrefix.slice(0, 11)}.`)
  throw new DomainError('conflict', `Several tokens begin with ${idOrPrefix.slice(0, 11)}; give the id.`)
}
