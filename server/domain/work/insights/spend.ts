import type { InsightsQuery, Spend } from '@signalbox/contract/app/insights.ts'
import type { Context } from '../../context.ts'
import { startOfDay, startOfMonth } from '../../days.ts'
import { rangeOf } from './range.ts'
import { selectBudgets, selectSpend } from './store.ts'

/** What each team spent each day, compared with what the policies allow. */
export async function readSpend(ctx: Context, query: InsightsQuery): Promise<Spend> {
  const { span, range } = await rangeOf(ctx, query)
  const now = ctx.clock.now()
  const [days, teams] = await Promise.all([
    selectSpend(ctx.db, ctx.workspaceId, range),
    selectBudgets(ctx.db, ctx.workspaceId, range.team, { day: startOfDay(now), month: startOfMonth(now) }),
  ])
  return { ...span, days: [...days], teams: [...teams] }
}
