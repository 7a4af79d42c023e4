import type { Beaten } from '@signalbox/contract/runner/messages.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { renewLeases, selectPhases } from './claim-store.ts'
import { leaseFrom } from './orders.ts'

type Ref = { run: string; fence: number }

/** Moves the time until which a runner's orders count as worked on, and says which of them are not wanted any more. */
export async function renewOrders(
  ctx: Context,
  runner: { runnerId: string; session: number },
  orders: readonly Ref[],
): Promise<Beaten['orders']> {
  if (orders.length === 0) return []
  return housekeeping(ctx.db, 'a runner is working', (tx) => keepOrders(ctx, tx, runner, orders))
}

/** The same as part of a transaction. */
export async function keepOrders(
  ctx: Context,
  tx: Tx,
  { runnerId, session }: { runnerId: string; session: number },
  orders: readonly Ref[],
): Promise<Beaten['orders']> {
  if (orders.length === 0) return []
  const until = leaseFrom(ctx.clock.now())
  const renewed = await renewLeases(tx, ctx.workspaceId, runnerId, orders, { session, until })
  const isWanted = ({ run, fence }: Ref) => renewed.some((one) => one.run === run && one.fence === fence)
  const over = orders.filter((order) => !isWanted(order)).map(({ run }) => run)
  const phases = over.length > 0 ? await selectPhases(tx, ctx.workspaceId, over) : new Map<string, string>()
  return orders.map(({ run, fence }) => {
    if (isWanted({ run, fence })) return { run, fence, verdict: 'go_on' }
    return phases.get(run) === 'stopped'
      ? { run, fence, verdict: 'stop', how: 'cancel', reason: 'The run was stopped.' }
      : { run, fence, verdict: 'stop', how: 'abort', reason: 'This work order is over.' }
  })
}
