import type { Scoreboard as Board, Score, ScoreboardQuery } from '@signalbox/contract/app/insights.ts'
import { useSearch } from '@tanstack/react-router'
import { Download, Scale } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { save } from '../browser/download.ts'
import { counted, grouped } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { duration } from '../ui/time.tsx'
import { classNames } from '../words/classes-of-service.ts'
import { sizes } from '../words/stories.ts'
import { amount } from './amount.ts'
import { csvOf } from './csv.ts'
import { Figure, ShareFigure } from './estimate.tsx'
import { InsightsTabs } from './insights-tabs.tsx'
import {
  type Grouping,
  groupings,
  nameOf,
  type Order,
  orderOf,
  type Sorting,
  scoresAsRows,
  sorted,
  sortings,
  sortNext,
} from './scores.ts'
import { Segments } from './segments.tsx'
import { WhatFiguresMean } from './what-figures-mean.tsx'

const ranges = ['30', '90', '365'] as const

/** An address can be written by hand: what the server would refuse is not asked for. */
function useQueryOfAddress(): ScoreboardQuery {
  const { range, by = '', team, kind = '', size = '' } = useSearch({ from: '/$ws/insights/scoreboard' })
  const known = sizes.find((one) => one === size)
  return {
    range: ranges.find((one) => one === range) ?? '90',
    by: Object.hasOwn(groupings, by) ? (by as Grouping) : 'agent',
    ...(team ? { team } : {}),
    ...(Object.hasOwn(classNames, kind) ? { kind: kind as keyof typeof classNames } : {}),
    ...(known ? { size: known } : {}),
  }
}

/** How agents, models, teams and kinds of stories compare, with how sure that is. */
export function Scoreboard() {
  const query = useQueryOfAddress()
  const board = useRead('insights.scoreboard', query, { keep: true })
  return (
    <Page
      title="Insights"
      wide
      aside={
        <Segments
          label="Range"
          name="range"
          value={query.range}
          of={ranges.map((days) => [days, `${days} days`])}
        />
      }
    >
      <InsightsTabs />
      <p className="mb-4 max-w-3xl text-sm text-muted">
        How the runs of the last {query.range} days went, with 95% intervals. This isn’t an experiment: each
        row worked on different stories, so a difference can come from the stories. Filter by team, kind and
        size to compare similar work. When the intervals of two rows overlap, the data doesn’t show which one
        is better.
      </p>
      <Controls query={query} />
      <Loaded of={board} lines={8}>
        {(found) =>
          found.all ? (
            <Scores board={found} query={query} />
          ) : (
            <Empty icon={Scale} title="No runs in this period">
              Choose a longer period or clear the filters.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function Controls({ query: { by, team, kind, size } }: { query: ScoreboardQuery }) {
  const set = useSetFilter()
  const teams = useRead('teams.list', {}).data?.map(({ slug, name }): [string, string] => [slug, name]) ?? []
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <span className="text-sm text-muted" aria-hidden="true">
          Compare by
        </span>
        <Segments label="Compare by" name="by" value={by} of={Object.entries(groupings)} />
      </div>
      <Filters of="runs" value={{ team, kind, size }} set={set}>
        <FilterBy
          name="team"
          // One that is gone, or not there yet, is what the address says all the same.
          of={team && !teams.some(([slug]) => slug === team) ? [[team, team], ...teams] : teams}
        />
        <FilterBy name="kind" of={classNames} />
        <FilterBy name="size" of={sizes.map((one): [string, string] => [one, one.toUpperCase()])} />
      </Filters>
    </>
  )
}

function Scores({ board, query }: { board: Board; query: ScoreboardQuery }) {
  const set = useSetFilter()
  const { sort } = useSearch({ from: '/$ws/insights/scoreboard' })
  const order = orderOf(sort)
  const rows = sorted(board.scores, query.by, order)
  const take = () =>
    save(
      new Blob([csvOf(scoresAsRows(rows, query.by))], { type: 'text/csv' }),
      `scoreboard-by-${query.by}-${board.to}.csv`,
    )
  return (
    <>
      <div className="mb-3 md:hidden">
        <Choice
          label="Sort by"
          value={order.by}
          onChange={(by) => set({ sort: sortNext({ by: 'name', isDescending: true }, by as Sorting) })}
          of={Object.entries(sortings).map(([by, { title }]): [string, string] => [by, `Sort by ${title}`])}
        />
      </div>
      <Table
        caption={`Runs of the last ${query.range} days by ${groupings[query.by].toLowerCase()}`}
        columns={columnsOf(rows, query, order, (by) => set({ sort: sortNext(order, by) }))}
        rows={rows}
        keyOf={({ group }) => group}
      />
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button size="small" icon={<Download size={14} aria-hidden="true" />} onClick={take}>
          Download CSV
        </Button>
        <p className="text-xs text-muted">
          {counted(board.all!.finished, 'finished run')},{' '}
          {counted(board.all!.merged, 'merged story', 'merged stories')}. Figures need at least {board.fewest}
          .
        </p>
      </div>
      <WhatFiguresMean fewest={board.fewest} />
    </>
  )
}

function columnsOf(
  rows: Score[],
  query: ScoreboardQuery,
  order: Order,
  sortBy: (by: Sorting) => void,
): Column<Score>[] {
  const most = (of: 'waiting' | 'cost') => Math.max(...rows.map((score) => score[of]?.high ?? 0))
  const [longest, dearest] = [most('waiting'), most('cost')]
  const column = (by: Sorting, cell: Column<Score>['cell'], title: string = sortings[by].title) => ({
    title,
    cell,
    right: by !== 'name',
    className: 'md:align-top',
    sort: {
      now:
        order.by === by
          ? order.isDescending
            ? ('descending' as const)
            : ('ascending' as const)
          : ('none' as const),
      press: () => sortBy(by),
    },
  })
  return [
    column('name', (score) => <Name score={score} query={query} />, groupings[query.by]),
    column('finished', ({ finished, open }) => (
      <div className="flex flex-col md:items-end">
        <span className="font-semibold">{grouped(finished)}</span>
        {open > 0 && <span className="text-xs text-muted">{grouped(open)} not finished</span>}
      </div>
    )),
    column('withoutRework', ({ withoutRework }) => <ShareFigure share={withoutRework} />),
    column('reverted', ({ reverted, revertedRuns }) => (
      <ShareFigure share={reverted}>
        <Named to="run" keys={revertedRuns} />
      </ShareFigure>
    )),
    column('incidents', ({ incidents, incidentKeys }) => (
      <ShareFigure share={incidents}>
        <Named to="incident" keys={incidentKeys} />
      </ShareFigure>
    )),
    column('waiting', ({ waiting, answers, merged }) => (
      <Figure estimate={waiting} format={lasted} scale={longest}>
        {counted(answers, 'answer')} in {counted(merged, 'story', 'stories')}
      </Figure>
    )),
    column('cost', ({ cost, merged, spentMicros }) => (
      <Figure estimate={cost} format={amount} scale={dearest}>
        {cost ? `${amount(spentMicros / merged)} with all runs` : counted(merged, 'story', 'stories')}
      </Figure>
    )),
  ]
}

/** The name, and the way to its runs where the list of runs can be filtered by it. */
function Name({ score, query }: { score: Score; query: ScoreboardQuery }) {
  const name = nameOf(query.by, score)
  const { team } = query
  const search =
    query.by === 'team'
      ? { team: score.group }
      : query.by === 'agent' && score.group !== 'local'
        ? { executor: score.group, ...(team ? { team } : {}) }
        : null
  if (!search) return <span className="font-medium wrap-anywhere">{name}</span>
  return (
    <Link
      to="/$ws/runs"
      search={search}
      aria-label={`Runs: ${name}`}
      className="inline-block min-h-6 font-medium wrap-anywhere text-accent hover:underline"
    >
      {name}
    </Link>
  )
}

/** Seconds count only where there are no minutes. */
const lasted = (seconds: number) =>
  duration(seconds < 60 ? seconds * 1000 : Math.round(seconds / 60) * 60_000)

const Named = ({ to, keys }: { to: 'run' | 'incident'; keys: string[] }) =>
  keys.map((key) => (
    <span key={key}>
      {' '}
      <KeyLink
        to={to}
        of={key}
        className="inline-flex min-h-6 items-center font-mono whitespace-nowrap text-accent hover:underline"
      />
    </span>
  ))
