import { type Received, type Reports, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { Clean } from 'typebox/value'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { ChangeReader } from '../../ports/change-reader.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { type Report, reportWork } from '../lifecycle/report.ts'
import type { Rates } from '../orders/bill.ts'
import { outdated, type RunnerOrder } from '../orders/find-order.ts'
import { addReportBytes } from '../orders/order-store.ts'
import { reportSurvey } from '../surveys/report-survey.ts'

/** What one work order may report. An honest one has a report for each call of a model, and few others. */
const mostOfOrder = { reports: 20_000, bytes: 50_000_000 }

export interface ReportServices {
  rates: Rates
  /** Looks at what runners hand in. */
  changes: ChangeReader
}

/**
 * Takes a runner's reports in their order. Those that were counted are passed over; where one is missing, nothing is
 * taken, and the runner is told which is wanted. Of an order that is over what it cost still counts.
 */
export async function takeReports(
  ctx: Context,
  order: RunnerOrder,
  reports: Reports['reports'],
  services: ReportServices,
  most = mostOfOrder,
): Promise<Received> {
  await refuseTooMuch(ctx, order, reports, most)
  let next = order.reported + 1
  let verdict: Received['verdict'] = 'go_on'
  for (const report of reports) {
    if (report.number < next) continue
    if (report.number > next)
      throw new DomainError('report_gap', `Expected report ${next} next, not ${report.number}.`, { next })
    if ((await take(ctx, order, report, services)) === 'stop') verdict = 'stop'
    next += 1
  }
  if (order.isOpen) return { verdict, next }
  // A runner that only repeats counted reports has missed the answer.
  if (next === order.reported + 1) return { verdict: 'stop', next }
  throw outdated()
}

/** That it failed is taken from every order, so that its run can go on. */
async function refuseTooMuch(
  ctx: Context,
  order: RunnerOrder,
  reports: Reports['reports'],
  most: typeof mostOfOrder,
): Promise<void> {
  const fresh = reports.filter(({ number, event }) => number > order.reported && event.type !== 'failed')
  if (!order.isOpen || fresh.length === 0) return
  const size = Buffer.byteLength(JSON.stringify(fresh))
  const bytes = await housekeeping(ctx.db, 'how much an order has reported', (tx) =>
    addReportBytes(tx, ctx.workspaceId, order, size),
  )
  if (fresh.every(({ number }) => number <= most.reports) && bytes <= most.bytes) return
  throw new DomainError(
    'report_limit',
    `A work order can report at most ${most.reports.toLocaleString('en')} times with ${Math.round(most.bytes / 1e6)} MB in all. Report that it failed.`,
  )
}

function take(
  ctx: Context,
  order: RunnerOrder,
  report: Reports['reports'][number],
  { rates, changes }: ReportServices,
) {
  const { number, event } = { ...report, event: known(report.event) }
  if (order.job === 'survey') return reportSurvey(ctx, order, { number, event }, rates)
  if (event.type === 'surveyed') throw new DomainError('conflict', 'This order is not a survey.')
  return reportWork(ctx, order, { number, event: settled(event), signer: order.signer }, rates, changes)
}

/** Nothing but the fields that the protocol has: what else a runner sends is no word of the server's. */
const known = (event: RunnerEvent): RunnerEvent => {
  const shape = RunnerEvent.anyOf.find(({ properties }) => properties.type.const === event.type)!
  return Clean(shape, structuredClone(event)) as RunnerEvent
}

/** The engine knows of no pull request by `null`; a runner may leave it out. */
const settled = (event: Exclude<RunnerEvent, { type: 'surveyed' }>): Report['event'] =>
  event.type === 'change_ready' || event.type === 'finished'
    ? { ...event, pullRequest: event.pullRequest ?? null }
    : event
