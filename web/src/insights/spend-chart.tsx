import type { Spend } from '@signalbox/contract/app/insights.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import { counted, money } from '../browser/formats.ts'
import { Spent } from '../ui/spent.tsx'
import { amount, centsOf } from './amount.ts'
import type { Series } from './bars.tsx'
import { Chart, Figure, Figures } from './chart.tsx'
import { daysFrom } from './days.ts'
import { mostLooks } from './patterns.tsx'

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** What was spent each day, by team, against what the policies allow. */
export function SpendChart({ spend }: { spend: Spend }) {
  const days = daysFrom(spend)
  const series = seriesOf(spend, days)
  const total = sum(spend.days.map(({ micros }) => micros))
  return (
    <>
      <Chart
        title="Spend per day"
        hint="What runs cost per team, on the day the cost was reported."
        figures={
          <Figures>
            <Figure name="Spent in this period" value={amount(total)} />
            <Figure
              name="Spent this month"
              value={amount(sum(spend.teams.map((team) => team.monthMicros)))}
            />
            <Figure name="Daily budget" value={allowed(spend.teams.map(({ dayCents }) => dayCents))} />
            <Figure name="Monthly budget" value={allowed(spend.teams.map(({ monthCents }) => monthCents))} />
          </Figures>
        }
        days={days}
        series={series}
        format={amount}
        smallest={microsPerCent}
        raw={(micros) => micros / 1_000_000}
        unit="EUR"
        line={budgetOf(spend)}
        nothing="No spend in this period."
      />
      <Budgets teams={spend.teams} />
    </>
  )
}

function seriesOf(spend: Spend, days: string[]): Series[] {
  const nameOf = new Map(spend.teams.map(({ slug, name }) => [slug, name]))
  const slugs = [...new Set(spend.days.map(({ team }) => team))]
  const spentBy = (some: string[]) =>
    days.map((day) =>
      sum(
        spend.days.filter((fact) => fact.day === day && some.includes(fact.team)).map(({ micros }) => micros),
      ),
    )
  const sorted = slugs
    .map((slug) => ({ slug, name: nameOf.get(slug) ?? slug, values: spentBy([slug]) }))
    .toSorted((a, b) => sum(b.values) - sum(a.values))
  if (sorted.length <= mostLooks) return sorted
  // More patterns than these would look alike.
  const rest = sorted.slice(mostLooks - 1).map(({ slug }) => slug)
  return [
    ...sorted.slice(0, mostLooks - 1),
    { name: counted(rest.length, 'other team'), values: spentBy(rest) },
  ]
}

/** Budgets together; one team without a limit leaves all of them without one. */
const allowed = (limits: (number | null)[]) =>
  limits.includes(null) ? 'No limit' : money(sum(limits as number[]))

/** What may be spent in a day by all that are shown; none when one of them has no limit. */
function budgetOf({ teams }: Spend): { name: string; value: number } | null {
  const limits = teams.map(({ dayCents }) => dayCents)
  if (limits.length === 0 || limits.includes(null)) return null
  return {
    name: limits.length === 1 ? 'Daily budget' : 'Daily budgets',
    value: sum(limits as number[]) * microsPerCent,
  }
}

function Budgets({ teams }: Pick<Spend, 'teams'>) {
  if (teams.length === 0) return null
  return (
    <section aria-labelledby="budgets" className="rounded-lg border bg-surface p-4">
      <h2 id="budgets" className="text-lg font-semibold">
        Budgets
      </h2>
      <p className="mt-0.5 mb-3 text-sm text-muted">
        What each team has spent today and this month, out of what its policy allows. Days and months are in
        UTC.
      </p>
      <ul className="flex flex-col gap-3 md:gap-2">
        {teams.map(({ slug, name, dayCents, monthCents, dayMicros, monthMicros }) => (
          <li
            key={slug}
            className="grid items-center gap-x-6 gap-y-1 lg:grid-cols-[minmax(0,1fr)_17rem_17rem]"
          >
            <span className="text-sm font-medium break-words">{name}</span>
            <span className="flex items-center gap-2">
              <span className="w-12 text-xs text-muted">Today</span>
              <Spent cents={centsOf(dayMicros)} ofCents={dayCents} />
            </span>
            <span className="flex items-center gap-2">
              <span className="w-12 text-xs text-muted">Month</span>
              <Spent cents={centsOf(monthMicros)} ofCents={monthCents} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
