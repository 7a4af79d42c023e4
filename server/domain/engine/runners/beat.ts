import type { Beat, Beaten } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { renewOrders } from '../orders/renew-orders.ts'
import type { LastSeen } from './last-seen.ts'
import { type KnownSession, updateTold } from './store.ts'

/** What a runner in that state is told with every beat. */
const wanted = { pending: null, active: null, paused: 'pause', draining: 'drain', removed: 'drain' } as const

/** Whether the next beat of a runner would be answered with a command that is new to it. */
export const hasNews = ({ state, told }: KnownSession): boolean => wanted[state] !== told

/**
 * A sign of life: what the runner works on counts as worked on, and it is told what is not wanted any more. It moves
 * times and appends nothing; of a runner that has nothing it is written down with the others'.
 */
export async function beat(
  ctx: Context,
  session: KnownSession,
  { orders, free, diskFree, drains }: Beat,
  lives: LastSeen,
): Promise<Pick<Beaten, 'orders' | 'commands'>> {
  lives.note(session.session, { free, diskFree, drains })
  return { orders: await renewOrders(ctx, session, orders), commands: await commandsFor(ctx, session) }
}

/** A runner that was told to pause or drain is told when that is over. */
async function commandsFor(ctx: Context, known: KnownSession): Promise<Beaten['commands']> {
  const told = wanted[known.state]
  if (told === known.told) return told ? [told] : []
  await housekeeping(ctx.db, 'what a runner was told', (tx) =>
    updateTold(tx, ctx.workspaceId, known.session, told),
  )
  known.told = told
  return [told ?? 'resume']
}
