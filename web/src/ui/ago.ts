import { serverNow } from '../api/clock.ts'

/** In the units in which durations are said. `Intl.RelativeTimeFormat` takes a slow phone a fifth of a second to begin with. */
const units: { seconds: number; one: string; many: string; last?: string; next?: string }[] = [
  { seconds: 31_536_000, one: 'year', many: 'years', last: 'last year', next: 'next year' },
  { seconds: 2_592_000, one: 'month', many: 'months', last: 'last month', next: 'next month' },
  { seconds: 86_400, one: 'day', many: 'days', last: 'yesterday', next: 'tomorrow' },
  { seconds: 3_600, one: 'h', many: 'h' },
  { seconds: 60, one: 'min', many: 'min' },
]

export function ago(at: string | Date, from = serverNow()): string {
  const seconds = (new Date(at).getTime() - from) / 1000
  const unit = units.find(({ seconds: length }) => Math.abs(seconds) >= length)
  if (!unit) return seconds > 5 ? 'in less than a minute' : 'just now'
  // What lies ahead is rounded: seven days that have just begun are not six, and six and a bit are not seven.
  const isAhead = seconds > 0
  const count = isAhead ? Math.round(seconds / unit.seconds) : Math.floor(-seconds / unit.seconds)
  const known = isAhead ? unit.next : unit.last
  if (count === 1 && known) return known
  const length = `${count} ${count === 1 ? unit.one : unit.many}`
  return isAhead ? `in ${length}` : `${length} ago`
}
