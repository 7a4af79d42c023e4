import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { leaseSeconds, reconnectSeconds } from '../orders/orders.ts'
import { markSilentLeftOfAllWorkspaces } from './store.ts'

/**
 * Signs off ephemeral runners that went without a word: a pod that was killed does not come back. They get the time in
 * which any runner may return to its order.
 */
export const expireEphemeralRunners = ({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> =>
  housekeeping(db, 'ephemeral runners are gone', (tx) =>
    markSilentLeftOfAllWorkspaces(
      tx,
      new Date(clock.now().getTime() - (leaseSeconds + reconnectSeconds) * 1000),
    ),
  )
