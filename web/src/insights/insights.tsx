import type { InsightsQuery } from '@signalbox/contract/app/insights.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { BarChart3 } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Link } from '../ui/link.ts'
import { Empty, Loaded, Page, Skeleton, Unreadable } from '../ui/page.tsx'
import { InsightsTabs } from './insights-tabs.tsx'
import { ReworkChart, RunsChart } from './run-charts.tsx'
import { Segments } from './segments.tsx'
import { SpendChart } from './spend-chart.tsx'
import { WaitingChart } from './waiting-chart.tsx'

const ranges = ['7', '30', '90'] as const

function useQueryOfAddress(): InsightsQuery {
  const { range, team } = useSearch({ from: '/$ws/insights' })
  return { range: ranges.find((known) => known === range) ?? '30', ...(team ? { team } : {}) }
}

export function Insights() {
  const query = useQueryOfAddress()
  const [spend, runs] = [
    useRead('insights.spend', query, { keep: true }),
    useRead('insights.runs', query, { keep: true }),
  ]
  const [waiting, rework] = [
    useRead('insights.waiting', query, { keep: true }),
    useRead('insights.rework', query, { keep: true }),
  ]
  const isEmpty =
    spend.data?.days.length === 0 &&
    runs.data?.days.length === 0 &&
    waiting.data?.answered === 0 &&
    waiting.data.stillWaiting === 0
  const all = [spend, runs, waiting, rework]
  // What is wrong with all of them is said once.
  const failure = all.every(({ error, data }) => error && !data) ? spend.error : null
  // All at the same moment: what comes above would push the rest down under someone's thumb.
  const isReading = all.some(({ error, data }) => !error && !data)
  return (
    <Page title="Insights" aside={<Controls />}>
      <InsightsTabs />
      <p className="mb-4 text-sm text-muted">
        The last {query.range} days, including today. Days start and end at midnight UTC.
      </p>
      {failure ? (
        <Unreadable error={failure} retry={() => void Promise.all(all.map((read) => read.refetch()))} />
      ) : isReading ? (
        <Skeleton lines={12} />
      ) : isEmpty ? (
        <Nothing query={query} />
      ) : (
        <div className="flex flex-col gap-5">
          <Loaded of={spend}>{(found) => <SpendChart spend={found} />}</Loaded>
          <div className="grid gap-5 lg:grid-cols-2 lg:items-start">
            <Loaded of={runs}>{(found) => <RunsChart runs={found} />}</Loaded>
            <Loaded of={rework}>{(found) => <ReworkChart rework={found} />}</Loaded>
          </div>
          <Loaded of={waiting}>{(found) => <WaitingChart waiting={found} />}</Loaded>
        </div>
      )}
    </Page>
  )
}

function Controls() {
  const { range, team } = useQueryOfAddress()
  const navigate = useNavigate({ from: '/$ws/insights' })
  const teams = useRead('teams.list', {}).data?.map(({ slug, name }): [string, string] => [slug, name]) ?? []
  return (
    <>
      <Segments label="Range" name="range" value={range} of={ranges.map((days) => [days, `${days} days`])} />
      <Choice
        label="Team"
        className="w-44!"
        value={team ?? ''}
        onChange={(chosen) =>
          void navigate({ replace: true, search: { range, ...(chosen ? { team: chosen } : {}) } })
        }
        none="Any team"
        // One that is gone, or not there yet, is what the address says all the same.
        of={team && !teams.some(([slug]) => slug === team) ? [[team, team], ...teams] : teams}
      />
    </>
  )
}

function Nothing({ query }: { query: InsightsQuery }) {
  const isNarrow = query.team !== undefined || query.range !== '90'
  return (
    <Empty
      icon={BarChart3}
      title="No activity in this period"
      action={
        isNarrow ? (
          <Link to="/$ws/insights" search={{ range: '90' }} className={buttonClass()}>
            Show 90 days for all teams
          </Link>
        ) : (
          <Link to="/$ws/teams" className={buttonClass()}>
            Go to teams
          </Link>
        )
      }
    >
      Once teams work on stories, you’ll see what they spend, how runs end and how long work waits for people.
    </Empty>
  )
}
