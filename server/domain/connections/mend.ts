import type { Tx } from '../../infra/db/db.ts'
import { change, type Entry } from '../audit/change.ts'
import { asService, type Context } from '../context.ts'
import { releaseParked, tryFirstParked } from '../outbox/park.ts'
import type { RefusalReason } from '../ports/connection.ts'
import { wordsFor } from './refusal-scope.ts'
import { isOpen, lockOpen, markMended, selectNamed } from './refusal-store.ts'

/** Notes that a tool takes again what it refused, and has the first of what waits for it done. */
export async function mend(ctx: Context, tx: Tx, id: string): Promise<Entry[]> {
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

/** The same, for whoever has just been let in there: a sweep of a project, a socket that was opened. */
export async function mendScope(
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
    for (const { id } of meant) audit.push(...(await mend(ctx, tx, id)))
    return { value: undefined, audit }
  })
}

/**
 * A person has mended something, or says so: whatever waits is tried at once, and what is tried shows whether it is. Where
 * nothing waits, that the tool has let us in is all there is to see.
 */
export async function tryAgain(ctx: Context, tx: Tx, connectionId: string): Promise<Entry[]> {
  const audit: Entry[] = []
  for (const { id, scope, isWaitedFor } of await lockOpen(tx, ctx.workspaceId, connectionId)) {
    if (isWaitedFor) await tryFirstParked(ctx, tx, id, ctx.clock.now())
    else if (scope === '') audit.push(...(await mend(ctx, tx, id)))
  }
  return audit
}

/** The connection ends: whatever waits for it finds that nobody is there any more. */
export async function letGo(ctx: Context, tx: Tx, connectionId: string): Promise<void> {
  for (const { id } of await lockOpen(tx, ctx.workspaceId, connectionId)) {
    await markMended(tx, ctx.workspaceId, id, ctx.clock.now())
    await releaseParked(ctx, tx, id)
  }
}
