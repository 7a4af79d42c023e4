import { Download } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { save } from '../browser/download.ts'
import { shortDay } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { Bars, Legend, type Series } from './bars.tsx'
import { csvOf } from './csv.ts'
import { firstShown } from './days.ts'

export interface ChartProps {
  title: string
  /** What exactly is counted. */
  hint: string
  /** Sums in words, above the picture. */
  figures?: ReactNode
  days: string[]
  series: Series[]
  /** For people. */
  format: (value: number) => string
  /** The smallest amount that looks different from nothing. */
  smallest?: number
  /** For the file: a number as a spreadsheet adds it up. */
  raw?: (value: number) => number
  unit: string
  line?: { name: string; value: number } | null
  /** Said instead of the picture when there is nothing to draw. */
  nothing: string
}

/** A picture, and under it the same as a table that can be read, reached by keyboard and taken along. */
export function Chart(props: ChartProps) {
  const id = useId()
  const { title, hint, figures, days, series, format, smallest = 1, line, nothing } = props
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + values[day]!, 0))
  const first = firstShown(totals)
  const total = series.reduce((sum, { values }) => sum + values.reduce((a, b) => a + b, 0), 0)
  const label = `${title}, ${days.length} days: ${series
    .map(({ name, values }) => `${name} ${format(values.reduce((a, b) => a + b, 0))}`)
    .join(', ')}`
  return (
    <Card className="min-w-0 p-4">
      <section aria-label={title}>
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="mt-0.5 mb-3 text-sm text-muted">{hint}</p>
        {figures}
        {total === 0 ? (
          <p className="rounded-md border border-dashed px-4 py-8 text-center text-sm text-muted">
            {nothing}
          </p>
        ) : (
          <>
            <Bars
              {...{ id, label, format, smallest }}
              days={days.slice(first)}
              series={series.map((one) => ({ ...one, values: one.values.slice(first) }))}
              line={line ?? null}
            />
            <Legend id={id} series={series} format={format} />
            {first > 0 && (
              <p className="mt-2 text-xs text-muted">
                No data before {shortDay(days[totals.findIndex((total) => total > 0)]!)}.
              </p>
            )}
            <Numbers {...props} />
          </>
        )}
      </section>
    </Card>
  )
}

function Numbers({ title, days, series, format, raw = (value) => value, unit }: ChartProps) {
  const sum = (day: number) => series.reduce((total, { values }) => total + values[day]!, 0)
  const names = [...series.map(({ name }) => name), ...(series.length > 1 ? ['Total'] : [])]
  const valuesAt = (day: number) => [
    ...series.map(({ values }) => values[day]!),
    ...(series.length > 1 ? [sum(day)] : []),
  ]
  const take = () => {
    const rows = days.map((day, index) => [day, ...valuesAt(index).map(raw)])
    const file = csvOf([['Day (UTC)', ...names.map((name) => `${name} (${unit})`)], ...rows])
    save(new Blob([file], { type: 'text/csv' }), `${title.toLowerCase().replaceAll(' ', '-')}.csv`)
  }
  // The newest day first, and none of those on which nothing happened.
  const shown = days.map((_, index) => index).filter((index) => sum(index) > 0)
  return (
    <details className="mt-3 border-t pt-2">
      <summary className="w-fit text-sm leading-6 text-muted hover:text-text">Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={`${title} as a table`} className="mt-2 max-h-80 overflow-auto">
        <table className="w-full border-collapse text-left text-sm">
          <caption className="sr-only">{title}, by day in UTC</caption>
          <thead>
            <tr className="border-b text-xs text-muted">
              <th scope="col" className="h-8 pr-3 font-medium">
                Day (UTC)
              </th>
              {names.map((name) => (
                <th key={name} scope="col" className="h-8 px-2 text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().map((index) => (
              <tr key={days[index]} className="border-b last:border-b-0">
                <th scope="row" className="h-7 pr-3 font-normal whitespace-nowrap tabular-nums">
                  {days[index]}
                </th>
                {valuesAt(index).map((value, at) => (
                  <td key={names[at]} className="px-2 text-right whitespace-nowrap tabular-nums">
                    {format(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < days.length && (
        <p className="mt-2 text-xs text-muted">Days without data are hidden here. The CSV has every day.</p>
      )}
      <Button
        size="small"
        className="mt-2"
        icon={<Download size={14} aria-hidden="true" />}
        aria-label={`Download CSV: ${title}`}
        onClick={take}
      >
        Download CSV
      </Button>
    </details>
  )
}

/** A few sums in large. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">{children}</dl>
)

export const Figure = ({ name, value }: { name: string; value: ReactNode }) => (
  <div>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-lg font-semibold tabular-nums">{value}</dd>
  </div>
)
