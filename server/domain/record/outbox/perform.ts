import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { change, type Entry, housekeeping } from '../audit/change.ts'
import { checkEffect, type DueEffect, type EffectKind, withCurrentKind } from './effect.ts'
import { EffectLease, type Every, leaseEndFrom } from './effect-lease.ts'
import { park } from './park.ts'
import { markDone, noteFailure, postpone, takeDue } from './store.ts'

/**
 * What becomes of an effect: it is done, and `settle` writes what follows; or it is too early for it; or a tool refuses it,
 * and it waits until that is mended.
 */
export type Performed =
  | {
      /** There was nothing left to do, so no external call was made. */
      isMoot?: true
      /** Locks the run that `settle` moves. A run is always locked before its effects, here as when it ends. */
      lock?: (tx: Tx) => Promise<unknown>
      settle: (tx: Tx) => Promise<Entry[]>
    }
  | {
      notBefore: Date
      /** It waits its turn: nothing was tried, and what was tried before still counts. */
      isInLine?: true
    }
  | {
      /** The refusal that it waits for, and why. */
      parkedBy: string
      reason: string
      /** When the first of those that wait for it is tried. */
      probeAt: Date
      /** Writes that it waits, where that is to be said. */
      tell?: (tx: Tx) => Promise<Entry[]>
    }

export type Performer<K extends EffectKind> = (ctx: Context, effect: DueEffect<K>) => Promise<Performed>
export type Performers = { [K in EffectKind]: Performer<K> }

const perform = <K extends EffectKind>(ctx: Context, performers: Performers, effect: DueEffect<K>) =>
  performers[effect.kind](ctx, effect)

const longestPauseSeconds = 900
/** The longest pause a tool can ask for. */
const longestAskedSeconds = 3_600

/**
 * Does one thing outside. The call is made outside any transaction; that it was made is written together with what
 * follows from it. After a crash in between the call is made again, which is why every call carries a key. However long
 * the call takes, no other node makes it at the same time; a node that was presumed dead cannot write its outcome.
 */
export async function performEffect(
  service: Context,
  id: string,
  performers: Performers,
  every?: Every,
): Promise<void> {
  const now = service.clock.now()
  const taken = await housekeeping(service.db, 'take an effect', (tx) =>
    takeDue(tx, service.workspaceId, id, now, leaseEndFrom(now)),
  )
  if (!taken) return
  const effect = withCurrentKind(taken)
  const ctx = { ...service, ...effect.ordered }
  const lease = new EffectLease(service, id, leaseEndFrom(now), every)
  try {
    checkEffect(effect)
    const performed = await perform(ctx, performers, effect)
    const held = await lease.end()
    if ('parkedBy' in performed) return await park(ctx, effect, held, performed)
    if ('notBefore' in performed) {
      const { notBefore } = performed
      const seconds = Math.ceil((notBefore.getTime() - ctx.clock.now().getTime()) / 1000)
      await housekeeping(ctx.db, 'postpone an effect', async (tx) => {
        const isOurs = await postpone(tx, ctx.workspaceId, id, held, notBefore, performed.isInLine ?? false)
        // The sweeper comes by once a minute; what waits for less is woken.
        if (isOurs && seconds < 60)
          await ctx.queue.send(
            tx,
            { task: 'effect', workspaceId: ctx.workspaceId, id },
            { seconds: Math.max(seconds, 0) },
          )
      })
      return
    }
    await change(ctx, async (tx) => {
      await performed.lock?.(tx)
      return {
        value: null,
        audit: (await markDone(tx, ctx.workspaceId, id, held, ctx.clock.now()))
          ? await performed.settle(tx)
          : [],
      }
    })
  } catch (error) {
    const held = await lease.end()
    const pause = Math.max(
      Math.min(5 * 2 ** (effect.attempts - 1), longestPauseSeconds),
      Math.min(secondsAskedFor(error), longestAskedSeconds),
    )
    await housekeeping(ctx.db, 'note why an effect failed', (tx) =>
      noteFailure(tx, ctx.workspaceId, id, held, later(ctx.clock.now(), pause), (error as Error).message),
    )
    throw error
  }
}

/** The tool may have said when to come back: a port's error then has `retryAfterMs`. */
const secondsAskedFor = (error: unknown): number =>
  ((error as { retryAfterMs?: number | null }).retryAfterMs ?? 0) / 1000

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
