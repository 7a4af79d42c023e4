import type { Received } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { outdated, type RunnerOrder } from './find-order.ts'
import { type Rates, type Report, reportWork } from './report.ts'

/**
 * Takes a runner's reports in their order. Those that were counted are passed over; where one is missing, nothing is
 * taken, and the runner is told which is wanted. Of an order that is over what it cost still counts.
 */
export async function takeReports(
  ctx: Context,
  order: RunnerOrder,
  reports: readonly Report[],
  rates: Rates,
): Promise<Received> {
  let next = order.reported + 1
  let verdict: Received['verdict'] = 'go_on'
  for (const report of reports) {
    if (report.number < next) continue
    if (report.number > next)
      throw new DomainError('report_gap', `Report ${next} is wanted next, not ${report.number}.`, { next })
    const { number, event } = report
    if ((await reportWork(ctx, order, { number, event, signer: order.signer }, rates)) === 'stop')
      verdict = 'stop'
    next += 1
  }
  if (order.isOpen) return { verdict, next }
  // Whoever only repeats what was counted has missed the answer.
  if (next === order.reported + 1) return { verdict: 'stop', next }
  throw outdated()
}
