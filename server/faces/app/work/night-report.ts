import type { reads, writes } from '@signalbox/contract/app/night-report.ts'
import { listMornings, readReport } from '../../../domain/work/night-report/read.ts'
import type { Handlers } from '../operation.ts'

/** Each person reads their own. */
export const nightReportHandlers: Handlers<typeof reads & typeof writes> = {
  'report.read': (ctx, { morning }) => readReport(ctx, morning ?? null),
  'report.mornings': listMornings,
}
