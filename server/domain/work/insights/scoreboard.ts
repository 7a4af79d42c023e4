import type { Estimate, Scoreboard, ScoreboardQuery, Share } from '@signalbox/contract/app/insights.ts'
import type { Context } from '../../context.ts'
import { fewestToCompare, medianOf, shareOf } from './intervals.ts'
import { rangeOf } from './range.ts'
import { selectScores } from './store.ts'

type Row = Awaited<ReturnType<typeof selectScores>>[number]

const weekMs = 7 * 86_400_000

/** How the runs that began in a range went, side by side by agent, model, team, kind or size of the story. */
export async function readScoreboard(ctx: Context, query: ScoreboardQuery): Promise<Scoreboard> {
  const { span, range } = await rangeOf(ctx, query)
  const weekAgo = new Date(ctx.clock.now().getTime() - weekMs)
  const rows = await selectScores(ctx.db, ctx.workspaceId, range, query, weekAgo)
  const all = rows.find(({ group }) => group === null)
  return {
    ...span,
    fewest: fewestToCompare,
    scores: rows
      .filter(({ group }) => group !== null)
      .map((row) => ({ ...scoreOf(row), name: query.by === 'team' ? row.teamName : null })),
    all: all && all.finished + all.open > 0 ? scoreOf(all) : null,
  }
}

function scoreOf(row: Row): Scoreboard['scores'][number] {
  const { group, finished, open, merged, answers, spentMicros, revertedRuns, incidentKeys } = row
  return {
    ...{
      group: group ?? '',
      name: null,
      finished,
      open,
      merged,
      answers,
      spentMicros,
      revertedRuns,
      incidentKeys,
    },
    withoutRework: share(row.withoutRework, finished),
    reverted: share(row.reverted, merged),
    incidents: share(row.withIncident, row.weekOld),
    waiting: median(row.waits),
    cost: median(row.costs),
  }
}

const share = (count: number, of: number): Share => ({
  count,
  of,
  estimate: of < fewestToCompare ? null : shareOf(count, of),
})

const median = (sorted: number[] | null): Estimate | null =>
  !sorted || sorted.length < fewestToCompare ? null : medianOf(sorted)
