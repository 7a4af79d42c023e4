import { asksFor } from '@signalbox/contract/remedy.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { insertUsage } from '../machine/run-store.ts'
import { selectOrderedAttempt } from './order-store.ts'

export type Usage = Extract<WorkEvent, { type: 'usage' }>

/** Euro for one unit of a currency. */
export type Rates = Readonly<Record<string, number>>

export interface Price {
  micros: number
  rate: number
}

/** More than one report can cost: what is beyond it was counted in another unit. */
const mostBilled = 1_000_000

export function priceOf({ amount, currency }: Usage, rates: Rates): Price {
  const rate = currency === 'EUR' ? 1 : Object.hasOwn(rates, currency) ? rates[currency] : undefined
  if (rate === undefined) {
    throw new DomainError(
      'invalid_request',
      `This server has no exchange rate for ${currency}. ${asksFor('EXCHANGE_RATES', currency)}`,
    )
  }
  if (!(typeof amount === 'number' && amount >= 0 && amount <= mostBilled))
    throw new DomainError('invalid_request', `\`amount\` must be a number from 0 to ${mostBilled}.`)
  return { micros: Math.ceil(amount * rate * 1_000_000), rate }
}

/** Enters what an order spent, with everything that was said of it, and adds it to the attempt that spent it. */
export async function recordSpend(
  ctx: Context,
  tx: Tx,
  run: { id: string; teamId: string; attempt: number; isCurrent: boolean },
  { fence, report }: { fence: number; report: number },
  { type: _, ...usage }: Usage,
  { micros, rate }: Price,
): Promise<void> {
  // The newest order is of the newest attempt; only an older one has to be looked up.
  const ordered = run.isCurrent ? undefined : await selectOrderedAttempt(tx, ctx.workspaceId, run.id, fence)
  await insertUsage(tx, ctx.workspaceId, {
    ...usage,
    ...{ teamId: run.teamId, runId: run.id, attempt: ordered ?? run.attempt, fence, report },
    ...{ at: ctx.clock.now(), euroRate: rate, euroMicros: micros },
  })
}
