import { firstIdAt } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { startOfDay } from '../../days.ts'
import { requireTeam } from '../teams/read.ts'

/** What the stores ask by: ids begin with their millisecond, so a day is a bound on ids too. */
export interface Range {
  from: Date
  fromId: string
  team: string | null
}

export interface Span {
  from: string
  to: string
}

const dayMs = 86_400_000

/** So many days back from today in UTC, today included. */
export async function rangeOf(
  ctx: Context,
  { range, team }: { range: string; team?: string },
): Promise<{ span: Span; range: Range }> {
  if (team !== undefined) await requireTeam(ctx, team)
  const today = startOfDay(ctx.clock.now())
  const from = new Date(today.getTime() - (Number(range) - 1) * dayMs)
  return {
    span: { from: dayOf(from), to: dayOf(today) },
    range: { from, fromId: firstIdAt(from), team: team ?? null },
  }
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)
