import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { change, type Entry, housekeeping } from '../audit/change.ts'
import type { DueEffect } from './effect.ts'
import {
  isParkedBefore,
  releaseAll,
  selectOrphanedOfAllWorkspaces,
  unpark,
  updateParked,
  wakeFirstParked,
} from './store.ts'

/**
 * Puts an effect aside that a tool refuses. Of those that wait for the same refusal the oldest is tried now and then; the
 * others have no time, and each has its turn when the one before it is done. So they come out in the order they came in.
 */
export async function park(
  ctx: Context,
  { id, parkedBy: before }: DueEffect,
  held: Date,
  { parkedBy, reason, probeAt, tell }: Parking,
): Promise<void> {
  const putAside = async (tx: Tx): Promise<Entry[]> => {
    if (!(await updateParked(tx, ctx.workspaceId, id, held, { parkedBy, reason }))) return []
    const entries = (await tell?.(tx)) ?? []
    await tryFirstParked(ctx, tx, parkedBy, probeAt)
    // It was the first of others, and is refused for something else now.
    if (before && before !== parkedBy) await tryFirstParked(ctx, tx, before, ctx.clock.now())
    return entries
  }
  if (tell) await change(ctx, async (tx) => ({ value: null, audit: await putAside(tx) }))
  else await housekeeping(ctx.db, 'put aside what a tool refuses', putAside)
}

interface Parking {
  parkedBy: string
  reason: string
  probeAt: Date
  tell?: (tx: Tx) => Promise<Entry[]>
}

/** Has the oldest of those that wait for a refusal tried then. */
export async function tryFirstParked(ctx: Context, tx: Tx, refusal: string, at: Date): Promise<void> {
  const id = await wakeFirstParked(tx, ctx.workspaceId, refusal, at)
  const seconds = Math.max(0, Math.ceil((at.getTime() - ctx.clock.now().getTime()) / 1000))
  // The sweeper comes by once a minute; what waits for less is woken.
  if (id && seconds < 60)
    await ctx.queue.send(tx, { task: 'effect', workspaceId: ctx.workspaceId, id }, { seconds })
}

/** Whether an effect has to wait behind others: something that was wanted before it waits for that refusal. */
export const isQueuedBehind = (ctx: Pick<Context, 'db' | 'workspaceId'>, refusal: string, id: string) =>
  isParkedBefore(ctx.db, ctx.workspaceId, refusal, id)

/** Takes an effect out of the line that fails for a reason of its own: those behind it need not wait for that. */
export async function leaveQueue(ctx: Context, { id, parkedBy }: DueEffect): Promise<void> {
  if (!parkedBy) return
  await housekeeping(ctx.db, 'let those go on that wait behind a failure', async (tx) => {
    await unpark(tx, ctx.workspaceId, id)
    await tryFirstParked(ctx, tx, parkedBy, ctx.clock.now())
  })
}

/** Lets go of everything that waits for a refusal: there is nothing left to wait for. */
export async function releaseParked(ctx: Context, tx: Tx, refusal: string): Promise<void> {
  for (const id of await releaseAll(tx, ctx.workspaceId, refusal, ctx.clock.now()))
    await ctx.queue.send(tx, { task: 'effect', workspaceId: ctx.workspaceId, id })
}

/** What waits for a refusal and of which nothing is tried: the sweeper gives the first of them its time. */
export const orphanedParkings = (db: Context['db'], most: number) => selectOrphanedOfAllWorkspaces(db, most)
