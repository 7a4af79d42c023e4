import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { type Holder, type Reached, ToolBusy, ToolRefused } from '../../ports/connection.ts'
import type { Entry } from '../../record/audit/change.ts'
import type { DueEffect, EffectKind } from '../../record/outbox/effect.ts'
import { isQueuedBehind, leaveQueue, tryFirstParked } from '../../record/outbox/park.ts'
import type { Performed } from '../../record/outbox/perform.ts'
import { clearRefusal, forgetRefusal } from './clear-refusal.ts'
import { recordRefusal } from './record-refusal.ts'
import { isRefusalOfScope, selectWaitedFor, type WaitedFor } from './refusal-store.ts'

/**
 * Does something at an outside tool. What the tool refuses is neither done nor dropped: it is written into the ledger and
 * waits, and so does everything behind it, until the first that waits is taken again. Where one thing is done in several
 * places, each refusal is that of its own connection. `tell` writes, once for each refusal, that this waits for it.
 */
export async function parkWhenRefused(
  ctx: Context,
  effect: DueEffect,
  reached: Reached | readonly [Reached, ...Reached[]],
  work: () => Promise<Performed>,
  tell?: (tx: Tx, reason: string) => Promise<Entry[]>,
): Promise<Performed> {
  const parkedBy = ({ id, message, probeAt }: WaitedFor): Performed => ({
    ...{ parkedBy: id, reason: message, probeAt },
    ...(tell && effect.parkedBy !== id ? { tell: (tx: Tx) => tell(tx, message) } : {}),
  })
  const own = `effect/${effect.id}`
  const places = 'place' in reached ? ([reached] as const) : reached
  const aside = besides[effect.kind] ?? ''
  const waitedFor: WaitedFor[] = []
  for (const { holder, scopes } of scopesOf(places, own, aside))
    waitedFor.push(...(await selectWaitedFor(ctx.db, ctx.workspaceId, holder, scopes)))
  for (const refusal of waitedFor) if (await waits(ctx, effect, refusal)) return parkedBy(refusal)
  try {
    const performed = await work()
    if (!('settle' in performed) || waitedFor.length === 0) return performed
    const goOn = async (tx: Parameters<typeof performed.settle>[0]) => {
      const entries = await performed.settle(tx)
      for (const { id } of waitedFor)
        if (performed.isMoot) await goOnWithout(ctx, tx, effect, id)
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
    const { place, ...holder } = error.at ?? places[0]
    const scope = { account: '', place: place + aside, thing: own }[error.extent]
    const refusal = await recordRefusal(ctx, { ...holder, scope }, error)
    if (!refusal) throw error
    return parkedBy(refusal)
  }
}

/** Nothing is left to be done, and nothing is asked: those that wait behind it go on, and a refusal of it alone is over. */
export const noLongerWanted = (ctx: Context, effect: DueEffect): Performed => ({
  isMoot: true,
  async settle(tx) {
    if (effect.parkedBy) await goOnWithout(ctx, tx, effect, effect.parkedBy)
    return []
  },
})

async function goOnWithout(ctx: Context, tx: Tx, { id }: DueEffect, refusal: string): Promise<void> {
  if (await isRefusalOfScope(tx, ctx.workspaceId, refusal, `effect/${id}`))
    await forgetRefusal(ctx, tx, refusal)
  else await tryFirstParked(ctx, tx, refusal, ctx.clock.now())
}

/**
 * What needs a right of its own and is needed by nothing that comes later: where it is refused, only its like waits. What
 * is refused to others in that place holds it up as well.
 */
const besides: Partial<Record<EffectKind, string>> = { post_verdict: '/verdict' }

/** What may keep an effect waiting: each connection or source once, with every place of it. */
function scopesOf(
  places: readonly Reached[],
  own: string,
  aside: string,
): { holder: Holder; scopes: string[] }[] {
  const found = new Map<string, { holder: Holder; scopes: Set<string> }>()
  for (const { place, ...holder } of places) {
    const id = holder.connectionId ?? holder.sourceId
    const one = found.get(id) ?? { holder, scopes: new Set(['', own]) }
    found.set(id, { holder, scopes: one.scopes.add(place).add(place + aside) })
  }
  return [...found.values()].map(({ holder, scopes }) => ({ holder, scopes: [...scopes] }))
}

/** Behind what was wanted before it; or until it is time to try again, unless it was put first to do so. */
const waits = async (ctx: Context, effect: DueEffect, refusal: WaitedFor): Promise<boolean> =>
  (refusal.mendedAt === null && effect.parkedBy !== refusal.id && refusal.probeAt > ctx.clock.now()) ||
  isQueuedBehind(ctx, refusal.id, effect.id)
