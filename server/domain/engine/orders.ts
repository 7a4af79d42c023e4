import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { addEffect } from '../outbox/add.ts'
import type { HeldRun } from './hold.ts'
import { insertOrder, markEnded, updateLease } from './order-store.ts'

/** Without a report for this long, a work order counts as lost. */
export const leaseSeconds = 60

const leaseFrom = (at: Date) => new Date(at.getTime() + leaseSeconds * 1000)

/** Gives out the stage that a run stands at. */
export async function offerOrder(ctx: Context, tx: Tx, run: HeldRun): Promise<void> {
  const { fence, attempt, stage } = run.state
  const at = ctx.clock.now()
  const { workspaceId, id: runId } = run
  await insertOrder(tx, { workspaceId, runId, fence, attempt, stage, at, leaseUntil: leaseFrom(at) })
  await addEffect(ctx, tx, { kind: 'hand_out', key: `hand_out/${runId}/${fence}`, data: { fence }, runId })
}

/** Whoever has the order was heard of. */
export const renewOrder = (ctx: Context, tx: Tx, runId: string): Promise<void> =>
  updateLease(tx, runId, leaseFrom(ctx.clock.now()))

/** The order is done, or nothing more of it is wanted. */
export const endOrder = (ctx: Context, tx: Tx, runId: string): Promise<void> =>
  markEnded(tx, runId, ctx.clock.now())
