import { createHash } from 'node:crypto'
import { housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { OrderRef } from '../ports/work.ts'
import { insertFile } from './store.ts'

/**
 * Keeps what came back with a work order, under the hash of its bytes. A file says nothing by itself: what it is for is
 * told by the report that names it, which has entries of its own. Returns false when it is there already.
 */
export async function keepFile(
  ctx: Context,
  { sha256, bytes }: { order: OrderRef; sha256: string; bytes: Buffer },
): Promise<boolean> {
  const measured = createHash('sha256').update(bytes).digest('hex')
  if (measured !== sha256)
    throw new DomainError('hash_mismatch', `The bytes that arrived have the hash ${measured}.`)
  return housekeeping(ctx.db, 'what a runner uploaded', (tx) =>
    insertFile(tx, ctx.workspaceId, { sha256, bytes, at: ctx.clock.now() }),
  )
}
