import type { Context } from '../../context.ts'
import type { Chat } from '../../ports/chat.ts'
import { housekeeping } from '../../record/audit/change.ts'
import type { Performed } from '../../record/outbox/perform.ts'
import {
  type ChatChannel,
  deleteTurn,
  freeChannel,
  lockChannel,
  pauseChannel,
  selectTurns,
  upsertTurn,
} from './store.ts'

/** Longer than a call may take. A node that dies while posting blocks its channel for this long. */
const holdMs = 30_000
/** How soon a node that finds the channel busy looks again. */
const lookAgainMs = 1_000

interface Spoken {
  /** False: there was nothing left to say, and the next one need not wait. */
  hasSpoken: boolean
  performed: Performed
}

/**
 * Writes to a channel when it is its turn: over all nodes one at a time, as far apart as the tool wants it, and not
 * before the tool said to come back. What is said is put together in `speak`, so that it is as new as it can be.
 */
export async function withChannelRateLimit(
  ctx: Context,
  chat: Pick<Chat, 'apartMs'>,
  channel: ChatChannel,
  what: string,
  speak: () => Promise<Spoken>,
): Promise<Performed> {
  const begun = ctx.clock.now()
  const wait = await housekeeping(ctx.db, 'take a turn in a chat channel', async (tx) => {
    const { freeAt, busyUntil } = await lockChannel(tx, ctx.workspaceId, channel, begun)
    const { mine, last } = await selectTurns(tx, ctx.workspaceId, channel, what, begun)
    const isFree = freeAt <= begun && (busyUntil === null || busyUntil <= begun)
    if (isFree && (mine ? mine <= begun : last === null)) {
      await deleteTurn(tx, ctx.workspaceId, channel, what, begun)
      await pauseChannel(tx, ctx.workspaceId, channel, later(begun, holdMs))
      return null
    }
    const soonest = latest(freeAt, busyUntil && busyUntil > begun ? later(begun, lookAgainMs) : begun)
    const at = mine ? latest(mine, soonest) : latest(soonest, last ? later(last, chat.apartMs) : soonest)
    await upsertTurn(tx, ctx.workspaceId, channel, what, at)
    return at
  })
  if (wait) return { notBefore: wait, isInLine: true }
  // Counted from the answer: when a call arrives over there, only the tool knows.
  const rested = () => later(ctx.clock.now(), chat.apartMs)
  let free = begun
  try {
    const { hasSpoken, performed } = await speak()
    if (hasSpoken) free = rested()
    return performed
  } catch (error) {
    const asked = (error as { retryAfterMs?: number | null }).retryAfterMs
    free = asked ? later(ctx.clock.now(), asked) : rested()
    throw error
  } finally {
    await housekeeping(ctx.db, 'leave a chat channel to the next', (tx) =>
      freeChannel(tx, ctx.workspaceId, channel, free),
    )
  }
}

const later = (from: Date, ms: number) => new Date(from.getTime() + ms)
const latest = (one: Date, other: Date) => (one > other ? one : other)
