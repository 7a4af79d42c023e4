import type { Tx } from '../../../infra/db/db.ts'
import { asService, type Context } from '../../context.ts'
import type { Holder, RefusalReason } from '../../ports/connection.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { releaseParked, tryFirstParked } from '../../record/outbox/park.ts'
import { markedEntry, markedOf } from './marked-entry.ts'
import { isOpen, lockOpen, markMended, selectNamed } from './refusal-store.ts'

/** Notes that a tool takes again what it refused, and has the first of what waits for it done. */
export async function clearRefusal(ctx: Context, tx: Tx, id: string): Promise<Entry[]> {
  const isNews = await markMended(tx, ctx.workspaceId, id, ctx.clock.now())
  await tryFirstParked(ctx, tx, id, ctx.clock.now())
  const found = isNews ? await selectNamed(tx, ctx.workspaceId, id) : undefined
  if (!found) return []
  return [{ byService: true, ...markedEntry(markedOf(found), { change: 'mended', scope: found.scope }) }]
}

/** What was refused is no longer wanted, and nothing else waits for it: nothing is left that could mend it. */
export async function forgetRefusal(ctx: Context, tx: Tx, id: string): Promise<void> {
  await markMended(tx, ctx.workspaceId, id, ctx.clock.now())
}

/** The same, for callers that were just let in: a sweep of a project, a socket that was opened. */
export async function clearRefusalsOfScope(
  base: Pick<Context, 'db' | 'clock' | 'queue' | 'workspaceId'>,
  holder: Holder,
  which: { scope: string; reason?: RefusalReason },
): Promise<void> {
  if (!(await isOpen(base.db, base.workspaceId, holder, which))) return
  const ctx = asService(base, base.workspaceId)
  await change(ctx, async (tx) => {
    const open = await lockOpen(tx, ctx.workspaceId, holder)
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
 * If nothing waits, all we can see is that the tool let a connection in. A source was not tried: what was refused to the
 * key before says nothing about this one.
 */
export async function tryAgain(ctx: Context, tx: Tx, holder: Holder): Promise<Entry[]> {
  const audit: Entry[] = []
  for (const { id, scope, isWaitedFor } of await lockOpen(tx, ctx.workspaceId, holder)) {
    if (isWaitedFor) await tryFirstParked(ctx, tx, id, ctx.clock.now())
    else if (holder.sourceId !== undefined) await forgetRefusal(ctx, tx, id)
    else if (scope === '') audit.push(...(await clearRefusal(ctx, tx, id)))
  }
  return audit
}

/** A connection ends, or a source has no key any more: everything that waits for it is released, and finds it gone. */
export async function dropRefusals(ctx: Context, tx: Tx, holder: Holder): Promise<void> {
  for (const { id } of await lockOpen(tx, ctx.workspaceId, holder)) {
    await markMended(tx, ctx.workspaceId, id, ctx.clock.now())
    await releaseParked(ctx, tx, id)
  }
}
