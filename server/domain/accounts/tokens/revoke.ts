import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { findToken, markRevoked } from './store.ts'

/** Ends a token. When this returns, no node accepts it any more. */
export async function revokeToken(ctx: Context, id: string): Promise<void> {
  const sequence = await change(ctx, async (tx) => {
    const token = await findToken(tx, ctx.workspaceId, id)
    if (!token) throw new DomainError('not_found', `There is no token ${id}.`)
    if (ctx.actor.type === 'human' && ctx.actor.userId !== token.personId) {
      throw new DomainError('insufficient_role', 'Tokens are personal: only the owner can revoke one.')
    }
    if (!(await markRevoked(tx, ctx.workspaceId, id, ctx.clock.now()))) {
      throw new DomainError('conflict', `Token ${token.prefix} is already revoked.`)
    }
    return {
      value: await invalidate(tx),
      audit: {
        event: 'token_revoked',
        entity: { type: 'token', id, name: token.name },
        details: { prefix: token.prefix },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}
