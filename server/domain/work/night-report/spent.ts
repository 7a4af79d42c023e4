import type { NightReport } from '@signalbox/contract/app/night-report.ts'
import { microsPerCent, money } from '@signalbox/contract/money.ts'
import { counted, section, sentence } from './sentence.ts'

/** What a team spent in the span of the report, and today. */
export interface Spending {
  slug: string
  name: string
  micros: number
  dayMicros: number
  dayCents: number | null
}

/** What was spent, by team, against the budgets for the day. */
export function spentFrom(teams: readonly Spending[]): NightReport['spent'] {
  const sentences = teams.map(({ slug, name, micros, dayMicros, dayCents }) => {
    const today = centsOf(dayMicros)
    const isNear = dayCents !== null && today * 5 >= dayCents * 4
    const budget = dayCents === null ? 'no daily budget' : `${money(today)} of ${money(dayCents)} used today`
    const text = `${name} spent ${money(centsOf(micros))}; ${budget}`
    return sentence(text, { type: 'insights', id: slug }, isNear ? 'warn' : 'neutral')
  })
  const all = centsOf(teams.reduce((sum, { micros }) => sum + micros, 0))
  const total = sentence(`${money(all)} in total, ${counted(teams.length, 'team')}`, {
    type: 'insights',
    id: '',
  })
  return section(teams.length > 1 ? [total, ...sentences] : sentences, (left) =>
    sentence(`${counted(left, 'more team')} in Insights`, { type: 'insights', id: '' }),
  )
}

const centsOf = (micros: number) => Math.ceil(micros / microsPerCent)
