import { randomUUID } from 'node:crypto'
import { BackOff } from '../protocol/back-off.ts'
import type { Acquiring, Client } from '../protocol/client.ts'
import { isSessionGone, Refused, Unreachable } from '../protocol/failures.ts'
import type { Spool } from '../spool/spool.ts'
import type { Time } from '../time.ts'
import type { Session } from './session.ts'

export interface AcquiringOptions {
  client: Client
  session: Session
  spool: Spool
  time: Time
  say: (line: string) => void
  /** How many orders could be begun now; waits while it is none. Null: no more, ever. */
  room: (signal: AbortSignal) => Promise<number | null>
  onPolling: (isPolling: boolean) => void
  /** The server ended a poll before its time and had no order: it has something else to say. */
  onHint: () => void
  take: (acquired: Acquiring, ask: string) => void
}

/** Asks for work, one order at a time, as long as there is room. */
export async function acquireOrders(options: AcquiringOptions, signal: AbortSignal): Promise<void> {
  const { client, session, spool, time, say, onPolling, onHint, take, room } = options
  const backOff = new BackOff()
  let ask = spool.openAsk()
  let cursor: string | undefined
  for (;;) {
    const free = await room(signal)
    if (free === null || signal.aborted) return
    const number = client.session
    try {
      // On disk before the server hears it: an answer that is lost, or we with it, is asked for again.
      ask ??= written(spool)
      const { pollSeconds } = session.intervals
      const begun = time.now()
      onPolling(true)
      const acquired = await client.acquire(
        { ask, free, ...(cursor === undefined ? {} : { cursor }) },
        pollSeconds,
        signal,
      )
      backOff.reset()
      session.isBack()
      if (acquired) {
        cursor = acquired.cursor
        take(acquired, ask)
        ask = null
      } else if (time.now() - begun < pollSeconds / 2) {
        onHint()
        // A server that answers immediately each time is not polled in a tight loop.
        await time.wait(1, signal)
      }
    } catch (error) {
      if (signal.aborted) return
      onPolling(false)
      if (error instanceof Unreachable) {
        session.isAway(error)
        await time.wait(backOff.next(error.retryAfterSeconds), signal)
      } else if (isSessionGone(error)) {
        await session.renew(number).catch(() => undefined)
        await time.wait(1, signal)
      } else {
        if (error instanceof Refused) session.refused(error)
        // Such as a full disk: the ask stays, and gets the same order when it can be written down.
        else say(`No work can be taken: ${(error as Error).message}.`)
        await time.wait(backOff.next(), signal)
      }
    } finally {
      onPolling(false)
    }
  }
}

function written(spool: Spool): string {
  const ask = randomUUID()
  spool.writeAsk(ask)
  return ask
}
