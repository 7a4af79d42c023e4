import type { Tx } from '../../../infra/db/db.ts'
import { asService, type Context } from '../../context.ts'
import type { RefusalReason } from '../../ports/connection.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { releaseParked, tryFirstParked } from '../../record/outbox/park.ts'
import { wordsFor } from './refusal-scope.ts'
import { isOpen, lockOpen, markMended, selectNamed } from './refusal-store.ts'

/** Notes that a tool takes again what it refused, and has the first of what waits for it done. */
export async function clearRefusal(ctx: Context, tx: Tx, id: string): Promise<Entry[]> {
  const isNews = await markMended(tx, ctx.workspaceId, id, ctx.clock.now())
  await tryFirstParked(ctx, tx, id, ctx.clock.now())
  const found = isNews ? await selectNamed(tx, ctx.workspaceId, id) : undefined
  if (!found) return []
  return [
    {
      byService: true,
      event: 'connection_changed',
      entity: { type: 'connection', id: found.connectionId, name: found.name },
      details: { change: 'mended', scope: wordsFor(found.scope) },
    },
  ]
}

/** The same, for callers that were just let in: a sweep of a project, a socket that was opened. */
export async function clearRefusalsOfScope(
  base: Pick<Context, 'db' | 'clock' | 'queue' | 'workspaceId'>,
  connectionId: string,
  which: { scope: string; reason?: RefusalReason },
): Promise<void> {
  if (!(await isOpen(base.db, base.workspaceId, connectionId, which))) return
  const ctx = asService(base, base.workspaceId)
  await change(ctx, async (tx) => {
    const open = await lockOpen(tx, ctx.workspaceId, connectionId)
    const meant = open.filter(
      ({ scope, reason }) => scope === which.scope && (which.reason ?? reason) === reason,
    )
    const audit: Entry[] = []
    for (const { id } of meant) audit.push(...(await clearRefusal(ctx, tx, id)))
    return { value: undefined, audit }
  })
}

/**
 * A person has fixed something, or says so: everything that waits is tried now, and the attempt shows whether it works.
 * If nothing waits, all we can see is that the tool let us in.
 */
export async function tryAgain(ctx: Context, tx: Tx, connectionId: string): Promise<Entry[]> {
  const audit: Entry[] = []
  for (const { id, scope, isWaitedFor } of await lockOpen(tx, ctx.workspaceId, connectionId)) {
    if (isWaitedFor) await tryFirstParked(ctx, tx, id, ctx.clock.now())
    else if (scope === '') audit.push(...(await clearRefusal(ctx, tx, id)))
  }
  return audit
}

/** The connection ends: everything that waits for it is released, and finds the connection gone. */
export async function dropRefusals(ctx: Context, tx: Tx, connectionId: string): Promise<void> {
  for (const { id } of await lockOpen(tx, ctx.workspaceId, connectionId)) {
    await markMended(tx, ctx.workspaceId, id, ctx.clock.now())
    await releaseParked(ctx, tx, id)
  }
}
