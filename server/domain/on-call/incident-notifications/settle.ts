import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { updateNotification } from './store.ts'

/** The outcome of a mail or a post. */
export type Outcome = { state: 'sent' | 'skipped' } | { state: 'refused'; reason: string }

/** Notes the outcome of what an effect was to tell. */
export const settleNotification = (ctx: Context, tx: Tx, effectId: string, outcome: Outcome): Promise<void> =>
  updateNotification(tx, ctx.workspaceId, effectId, {
    reason: null,
    ...outcome,
    at: ctx.clock.now(),
  })
