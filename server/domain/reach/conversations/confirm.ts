import type { Context } from '../../context.ts'
import { resolveDecision } from '../../engine/answers/resolve.ts'
import { retryRun } from '../../engine/lifecycle/retry.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { outcomeText } from '../../work/chat/outcome-text.ts'
import { followConversation } from './follow.ts'
import type { Asked } from './parse-reply.ts'
import { requireOwnReply } from './require-own.ts'
import { settleReply } from './store.ts'

/**
 * Does what a reply asked for, with the same verb as every other channel and in the name of its author. The outcome is
 * recorded afterwards: confirmed again after a crash, it is still done only once.
 */
export async function confirmReply(
  ctx: Context,
  id: string,
): Promise<{ outcome: 'done' | 'refused'; text: string }> {
  const reply = await requireOwnReply(ctx, id)
  const settled = await carryOut(ctx, id, reply.asks)
  await housekeeping(ctx.db, 'note what became of a reply', async (tx) => {
    if (await settleReply(tx, ctx.workspaceId, id, { ...settled, at: ctx.clock.now() }))
      await followConversation(ctx, tx, reply.requirement, id, 'settled')
  })
  return settled
}

async function carryOut(
  ctx: Context,
  id: string,
  asks: Asked,
): Promise<{ outcome: 'done' | 'refused'; text: string }> {
  const idempotencyKey = `reply/${id}`
  try {
    if (asks.type === 'answer') {
      const { key, optionId, note } = asks
      await resolveDecision(ctx, { key, optionId, note, idempotencyKey })
      return { outcome: 'done', text: `${ctx.actor.name} answered ${key}.` }
    }
    if (asks.type === 'stop') {
      await stopRun(ctx, asks.key, { confirmed: true, reason: asks.note ?? '' })
      return { outcome: 'done', text: `${ctx.actor.name} stopped ${asks.key}.` }
    }
    await retryRun(ctx, asks.key, { guidance: asks.note ?? undefined, idempotencyKey })
    return { outcome: 'done', text: `${ctx.actor.name} retried ${asks.key}.` }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const isLate = ['decision_already_resolved', 'decision_not_pending'].includes(error.code)
    return { outcome: 'refused', text: isLate ? await outcomeText(ctx, asks.key) : error.message }
  }
}
