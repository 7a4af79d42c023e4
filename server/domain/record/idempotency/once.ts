import { createHash } from 'node:crypto'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Entry } from '../audit/change.ts'
import { insertKey, selectResponse, updateResponse } from './store.ts'

interface Done<T> {
  value: Json<T>
  audit: Entry[]
}

/**
 * Does something once per key and person; a repeated request gets the first response again. The key is part of the
 * transaction: two requests with the same key run one after the other, and a rolled-back one leaves no trace.
 */
export async function once<T>(
  ctx: Context,
  tx: Tx,
  { key, request }: { key: string | undefined; request: string },
  work: () => Promise<Done<T>>,
): Promise<Done<T>> {
  if (key === undefined || ctx.actor.type !== 'human') return work()
  const digest = createHash('sha256').update(request).digest()
  const claim = { personId: ctx.actor.userId, key }
  if (await insertKey(tx, ctx.workspaceId, claim, digest, ctx.clock.now())) {
    const done = await work()
    await updateResponse(tx, ctx.workspaceId, claim, done.value)
    return done
  }
  const known = await selectResponse(tx, ctx.workspaceId, claim)
  if (!known?.request.equals(digest)) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for each request.',
    )
  }
  return { value: known.response as Json<T>, audit: [] }
}
