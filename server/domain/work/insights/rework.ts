import type { InsightsQuery, Rework } from '@signalbox/contract/app/insights.ts'
import type { Context } from '../../context.ts'
import { rangeOf } from './range.ts'
import { selectRework } from './store.ts'

/** How many of the runs that began each day needed more than one attempt. */
export async function readRework(ctx: Context, query: InsightsQuery): Promise<Rework> {
  const { span, range } = await rangeOf(ctx, query)
  return { ...span, days: [...(await selectRework(ctx.db, ctx.workspaceId, range))] }
}
