import type { Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import { type Capacity, hasFreedSlot, selectCapacity, selectTeamsInLine } from '../orders/workforce-store.ts'
import { startNext } from './start-next.ts'

/**
 * Gives out the slots that runners have free: one run to each team that waits, in turn, and first to those that have
 * the fewest of them. A team left to fill its own slots would take all there are and keep the others waiting. Returns the
 * team of each run that was started.
 */
export async function shareSlots(ctx: Context, work: Pick<WorkPort, 'serves'>): Promise<string[]> {
  const started: string[] = []
  // Teams that could not start anything, and cannot before a slot becomes free.
  const passed = new Set<string>()
  const read = () => selectCapacity(ctx.db, ctx.workspaceId, ctx.clock.now())
  let capacity = await read()
  while (capacity.free > 0) {
    const team = await startFirst(ctx, work, { passed, capacity })
    if (team !== null) started.push(team)
    const before = capacity
    capacity = await read()
    if (hasFreedSlot(before, capacity)) passed.clear()
    else if (team === null) break
  }
  return started
}

/**
 * Starts a run of the first team in line that can have one. Nothing is started if a slot has become free by then: it
 * belongs to a team that was passed over for want of one.
 */
async function startFirst(
  ctx: Context,
  work: Pick<WorkPort, 'serves'>,
  { passed, capacity }: { passed: Set<string>; capacity: Capacity },
): Promise<string | null> {
  for (const { id, lastRun } of await selectTeamsInLine(ctx.db, ctx.workspaceId, ctx.clock.now())) {
    if (passed.has(id)) continue
    const guard = passed.size > 0 ? { unlessGrown: capacity } : {}
    if (await startNext(ctx, id, work, { lastRun, ...guard })) return id
    passed.add(id)
  }
  return null
}
