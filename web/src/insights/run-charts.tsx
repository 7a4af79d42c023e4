import type { Rework, RunResults } from '@signalbox/contract/app/insights.ts'
import type { Series } from './bars.tsx'
import { Chart, Figure, Figures } from './chart.tsx'
import { daysFrom } from './days.ts'

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
const percent = (part: number, all: number) => (all === 0 ? '–' : `${Math.round((100 * part) / all)}%`)

const results = {
  succeeded: { name: 'Succeeded', look: 0 },
  failed: { name: 'Failed', look: 3 },
  timedOut: { name: 'Timed out', look: 1 },
  stopped: { name: 'Stopped', look: 5 },
  open: { name: 'In progress', look: 4 },
} as const

export function RunsChart({ runs }: { runs: RunResults }) {
  const days = daysFrom(runs)
  const series: Series[] = Object.entries(results).map(([field, shown]) => ({
    ...shown,
    values: days.map(
      (day) => runs.days.find((facts) => facts.day === day)?.[field as keyof typeof results] ?? 0,
    ),
  }))
  const ended = sum(series.filter(({ name }) => name !== results.open.name).flatMap(({ values }) => values))
  return (
    <Chart
      title="Runs by result"
      hint="Runs by start day and current result."
      figures={
        <Figures>
          <Figure name="Runs" value={sum(series.flatMap(({ values }) => values))} />
          <Figure name="Success rate" value={percent(sum(series[0]!.values), ended)} />
        </Figures>
      }
      days={days}
      series={series}
      format={String}
      unit="runs"
      nothing="No runs started in this period."
    />
  )
}

export function ReworkChart({ rework }: { rework: Rework }) {
  const days = daysFrom(rework)
  const on = (day: string) => rework.days.find((facts) => facts.day === day) ?? { runs: 0, again: 0 }
  const again = sum(rework.days.map((facts) => facts.again))
  return (
    <Chart
      title="Rework"
      hint="Runs by start day. A second attempt counts as rework, unless the first ended with a temporary error."
      figures={
        <Figures>
          <Figure name="Rework rate" value={percent(again, sum(rework.days.map(({ runs }) => runs)))} />
          <Figure name="Runs with rework" value={again} />
        </Figures>
      }
      days={days}
      series={[
        { name: 'One attempt', values: days.map((day) => on(day).runs - on(day).again) },
        { name: 'More than one attempt', values: days.map((day) => on(day).again) },
      ]}
      format={String}
      unit="runs"
      nothing="No runs started in this period."
    />
  )
}
