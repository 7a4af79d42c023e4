import { onReplica as handleOnReplica } from '../infra/db/db.ts'
import type { Position } from '../infra/db/position.ts'
import type { Context } from './context.ts'

/**
 * The same context for a list, a search, an export or an insight: a replica may answer it, if it has everything that the
 * caller has written and `seen`. Never for what something is decided by: tokens, leases, policies, decisions.
 */
export async function onReplica<C extends Context>(ctx: C, seen?: Position): Promise<C> {
  if (ctx.actor.type !== 'human') return ctx
  const db = await handleOnReplica(ctx.db, ctx.actor.userId, seen)
  return db === ctx.db ? ctx : { ...ctx, db }
}
