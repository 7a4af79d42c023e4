import type { InsightsQuery, Waiting } from '@signalbox/contract/app/insights.ts'
import type { Context } from '../../context.ts'
import { rangeOf } from './range.ts'
import { selectWaiting } from './store.ts'

/** How long people took to answer the decisions that were raised, and where they answered. */
export async function readWaiting(ctx: Context, query: InsightsQuery): Promise<Waiting> {
  const { span, range } = await rangeOf(ctx, query)
  const rows = await selectWaiting(ctx.db, ctx.workspaceId, range)
  const all = rows.find(({ allChannels }) => allChannels)!
  const answered = rows.flatMap(({ channel, ...row }) => (channel ? [{ ...row, channel }] : []))
  return {
    ...span,
    days: answered.flatMap(({ day, channel, answered }) => (day ? [{ day, channel, answered }] : [])),
    channels: answered
      .filter(({ day }) => day === null)
      .map(({ channel, answered, medianSeconds, totalSeconds }) => ({
        channel,
        answered,
        medianSeconds: medianSeconds ?? 0,
        totalSeconds,
      })),
    answered: all.answered,
    medianSeconds: all.medianSeconds,
    totalSeconds: all.totalSeconds,
    stillWaiting: all.waiting,
  }
}
