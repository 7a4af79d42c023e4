import type { InsightsQuery, RunResults } from '@signalbox/contract/app/insights.ts'
import type { Context } from '../../context.ts'
import { rangeOf } from './range.ts'
import { selectRunResults } from './store.ts'

/** The outcome of the runs that began each day. */
export async function readRunResults(ctx: Context, query: InsightsQuery): Promise<RunResults> {
  const { span, range } = await rangeOf(ctx, query)
  return { ...span, days: [...(await selectRunResults(ctx.db, ctx.workspaceId, range))] }
}
