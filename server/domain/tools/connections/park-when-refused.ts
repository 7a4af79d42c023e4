import type { Context } from '../../context.ts'
import { type Reached, ToolBusy, ToolRefused } from '../../ports/connection.ts'
import type { DueEffect, EffectKind } from '../../record/outbox/effect.ts'
import { isQueuedBehind, leaveQueue, tryFirstParked } from '../../record/outbox/park.ts'
import type { Performed } from '../../record/outbox/perform.ts'
import { clearRefusal } from './clear-refusal.ts'
import { recordRefusal } from './record-refusal.ts'
import { selectWaitedFor, type WaitedFor } from './refusal-store.ts'

/**
 * Does something at an outside tool. What the tool refuses is neither done nor dropped: it is written into the ledger and
 * waits, and so does everything behind it, until the first that waits is taken again. Where one thing is done in several
 * places, each refusal is that of its own connection.
 */
export async function parkWhenRefused(
  ctx: Context,
  effect: DueEffect,
  reached: Reached | readonly [Reached, ...Reached[]],
  work: () => Promise<Performed>,
): Promise<Performed> {
  const own = `effect/${effect.id}`
  const places = 'place' in reached ? ([reached] as const) : reached
  const aside = besides[effect.kind] ?? ''
  const waitedFor: WaitedFor[] = []
  for (const { connectionId, scopes } of scopesOf(places, own, aside))
    waitedFor.push(...(await selectWaitedFor(ctx.db, ctx.workspaceId, connectionId, scopes)))
  for (const refusal of waitedFor) if (await waits(ctx, effect, refusal)) return parkedBy(refusal)
  try {
    const performed = await work()
    if (!('settle' in performed) || waitedFor.length === 0) return performed
    const goOn = async (tx: Parameters<typeof performed.settle>[0]) => {
      const entries = await performed.settle(tx)
      for (const { id } of waitedFor)
        if (performed.isMoot) await tryFirstParked(ctx, tx, id, ctx.clock.now())
        else entries.push(...(await clearRefusal(ctx, tx, id)))
      return entries
    }
    return { ...performed, settle: goOn }
  } catch (error) {
    const isRefused = error instanceof ToolRefused && error.reason !== 'conflict'
    if (!isRefused) {
      // A busy tool keeps all of them waiting; any other failure is this effect's own and must not hold up the rest.
      if (!(error instanceof ToolBusy)) await leaveQueue(ctx, effect)
      throw error
    }
    const { connectionId, place } = error.at ?? places[0]
    const scope = { account: '', place: place + aside, thing: own }[error.extent]
    const refusal = await recordRefusal(ctx, { connectionId, scope }, error)
    if (!refusal) throw error
    return parkedBy(refusal)
  }
}

/**
 * What needs a right of its own and is needed by nothing that comes later: where it is refused, only its like waits. What
 * is refused to others in that place holds it up as well.
 */
const besides: Partial<Record<EffectKind, string>> = { post_verdict: '/verdict' }

/** What may keep an effect waiting: each connection once, with every place of it. */
function scopesOf(
  places: readonly Reached[],
  own: string,
  aside: string,
): { connectionId: string; scopes: string[] }[] {
  const scopes = new Map<string, string[]>()
  for (const { connectionId, place } of places)
    scopes.set(connectionId, [...(scopes.get(connectionId) ?? ['', own]), place, place + aside])
  return [...scopes].map(([connectionId, all]) => ({ connectionId, scopes: [...new Set(all)] }))
}

/** Behind what was wanted before it; or until it is time to try again, unless it was put first to do so. */
const waits = async (ctx: Context, effect: DueEffect, refusal: WaitedFor): Promise<boolean> =>
  (refusal.mendedAt === null && effect.parkedBy !== refusal.id && refusal.probeAt > ctx.clock.now()) ||
  isQueuedBehind(ctx, refusal.id, effect.id)

const parkedBy = ({ id, message, probeAt }: WaitedFor): Performed => ({
  parkedBy: id,
  reason: message,
  probeAt,
})
