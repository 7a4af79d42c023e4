import { writesPerHour, writesPerMinute } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { type Connection, ToolBusy } from '../../ports/connection.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { endWrite, selectWriteRoom, takeWrite } from './store.ts'

/** Longer than a call takes: a node that dies during one holds up the others for no longer. */
const holdMs = 15_000
/** One at a time: the other is over soon. */
const soonMs = 1_000

/** How long a write waits for earlier ones of its own node; then the caller has to come back later. */
const lineMs = 5_000

/**
 * Limits how fast we write to GitHub, across all nodes and one write at a time: writes that it would refuse are not
 * sent, and the caller comes back when there is room. Returns a function that ends the write.
 */
export function pacingWrites({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  const line = new Map<string, Promise<void>>()
  return async ({ id, workspaceId, kind }: Connection): Promise<() => Promise<void>> => {
    if (kind !== 'github') return async () => {}
    const before = line.get(id) ?? Promise.resolve()
    const { promise, resolve: leave } = Promise.withResolvers<void>()
    const mine = before.then(() => promise)
    line.set(id, mine)
    void mine.then(() => line.get(id) === mine && line.delete(id))
    try {
      if (!(await within(before, lineMs))) throw underWay(clock.now())
      const now = clock.now()
      const until = new Date(now.getTime() + holdMs)
      const taken = await housekeeping(db, 'take the turn to write', (tx) =>
        takeWrite(tx, workspaceId, id, { now, until, perMinute: writesPerMinute, perHour: writesPerHour }),
      )
      if (!taken) throw await whenThereIsRoom(db, { id, workspaceId }, now)
      return async () => {
        if (taken !== 'unknown')
          await housekeeping(db, 'end the turn to write', (tx) =>
            endWrite(tx, workspaceId, id, { until }),
          ).finally(leave)
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}

async function within(work: Promise<void>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(() => late.resolve(false), ms)
  const inTime = await Promise.race([work.then(() => true), late.promise])
  clearTimeout(timer)
  return inTime
}

async function whenThereIsRoom(
  db: Context['db'],
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  now: Date,
): Promise<ToolBusy> {
  const room = await selectWriteRoom(db, workspaceId, id, {
    now,
    perMinute: writesPerMinute,
    perHour: writesPerHour,
  })
  if (room?.hourFullUntil)
    return busy(`GitHub wants at most ${writesPerHour} writes an hour.`, room.hourFullUntil, now)
  if (room?.minuteFullUntil)
    return busy(`GitHub wants at most ${writesPerMinute} writes a minute.`, room.minuteFullUntil, now)
  return underWay(now)
}

const underWay = (now: Date) => new ToolBusy('Another write to GitHub is in progress.', soonMs, now)

const busy = (why: string, until: Date, now: Date) =>
  new ToolBusy(
    `${why} This one is waiting for its turn.`,
    Math.max(soonMs, until.getTime() - now.getTime()),
    now,
  )
