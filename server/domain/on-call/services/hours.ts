import { type OnCallHours, weekdays } from '@signalbox/contract/service.ts'
import { momentsOf, offsetMs, partsOf } from '../../wall-clock.ts'

/**
 * Whether `at` lies within the hours. The clock on the wall decides, so a window that spans a change of daylight
 * saving begins and ends when people's clocks say so, and is an hour longer or shorter that night.
 */
export function isOnCall(hours: OnCallHours | null, at: Date): boolean {
  if (!hours) return true
  const { day, time } = wallClock(at, hours.timeZone)
  const begins = (weekday: number) => hours.days.includes(weekdays[(weekday + 7) % 7]!)
  if (hours.start < hours.end) return begins(day) && time >= hours.start && time < hours.end
  // Overnight, or around the clock when both are the same: this evening's window, or what is left of last evening's.
  return (begins(day) && time >= hours.start) || (begins(day - 1) && time < hours.end)
}

/**
 * When the on-call hours next begin or end; null when that never happens. Windows begin and end at the same time of
 * day, so it is enough to check those moments of the coming days, and clock changes.
 */
export function changesAt(hours: OnCallHours | null, at: Date): Date | null {
  if (!hours) return null
  const { start, end, timeZone } = hours
  const now = isOnCall(hours, at)
  const from = at.getTime()
  // By the calendar of the zone: a day in which clocks are put forward is not skipped.
  const shown = from + offsetMs(from, timeZone)
  const moments = Array.from({ length: 9 }, (_, days) => (days - 1) * dayMs)
    .flatMap((later) => [
      ...momentsOf(new Date(shown + later), start, timeZone),
      ...momentsOf(new Date(shown + later), end, timeZone),
      ...clockChange(from + later, timeZone),
    ])
    .filter((moment) => moment > from)
    .toSorted((a, b) => a - b)
  const change = moments.find((moment) => isOnCall(hours, new Date(moment)) !== now)
  return change === undefined ? null : new Date(change)
}

const dayMs = 86_400_000
const minuteMs = 60_000

/** When clocks of the zone are put forward or back in the day from then on, to the minute. */
function clockChange(from: number, timeZone: string): number[] {
  let [before, after] = [Math.floor(from / minuteMs), Math.floor((from + dayMs) / minuteMs)]
  const offset = (minute: number) => offsetMs(minute * minuteMs, timeZone)
  const old = offset(before)
  if (offset(after) === old) return []
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offset(middle) === old) before = middle
    else after = middle
  }
  return [after * minuteMs]
}

function wallClock(at: Date, timeZone: string): { day: number; time: string } {
  const parts = partsOf(at, timeZone)
  const day = weekdays.indexOf(parts.weekday!.toLowerCase() as (typeof weekdays)[number])
  return { day, time: `${parts.hour}:${parts.minute}` }
}
