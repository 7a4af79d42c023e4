import { ranges } from '@signalbox/contract/app/insights.ts'
import { teamSlug } from '@signalbox/contract/keys.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import { nullable, oneOf } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { readSpend } from '../../../domain/work/insights/spend.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, optional, reads, takes, tool, url } from '../calls/tool.ts'

const day = Type.String({ format: 'date' })
const spent = Type.Number({ description: 'euro cents' })
const budget = nullable(Type.Integer({ description: 'euro cents; null: no limit' }))

export const getSpend = tool({
  name: 'get_spend',
  title: 'See what was spent',
  description:
    'What runs and surveys have cost, by team, in euro cents: over the last days, today and this month, with the budgets. Days are UTC. What one run has cost is in get_run.',
  toolset: 'default',
  hints: reads,
  onReplica: true,
  input: takes({
    team: optional(teamSlug),
    days: optional(oneOf(ranges, 'how far back; 30 unless given')),
    byDay: optional(Type.Boolean({ description: 'true: also by day' })),
  }),
  output: gives({
    from: day,
    to: day,
    spentCents: spent,
    teams: Type.Array(
      Type.Object({
        team: teamSlug,
        spentCents: spent,
        todayCents: spent,
        dayBudgetCents: budget,
        monthCents: spent,
        monthBudgetCents: budget,
      }),
    ),
    days: optional(Type.Array(Type.Object({ day, team: teamSlug, spentCents: spent }))),
    url,
  }),
  outside: [],
  async call(call, { team, days: range = '30', byDay = false }) {
    const { from, to, days, teams } = await readSpend(call.ctx, { range, ...(team ? { team } : {}) })
    const sumOf = (slug?: string) =>
      cents(days.reduce((sum, each) => sum + (!slug || each.team === slug ? each.micros : 0), 0))
    return {
      from,
      to,
      spentCents: sumOf(),
      teams: teams.map(({ slug, dayCents, monthCents, dayMicros, monthMicros }) => ({
        team: slug,
        spentCents: sumOf(slug),
        todayCents: cents(dayMicros),
        dayBudgetCents: dayCents,
        monthCents: cents(monthMicros),
        monthBudgetCents: monthCents,
      })),
      ...(byDay
        ? { days: days.map(({ day, team, micros }) => ({ day, team, spentCents: cents(micros) })) }
        : {}),
      url: await appUrl(call, 'insights'),
    }
  },
})

/** To a hundredth of a cent. */
const cents = (micros: number) => Math.round((micros / microsPerCent) * 100) / 100
