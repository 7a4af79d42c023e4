import { type OnCallHours, weekdays } from '@signalbox/contract/service.ts'

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

const formats = new Map<string, Intl.DateTimeFormat>()

function wallClock(at: Date, timeZone: string): { day: number; time: string } {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(timeZone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const day = weekdays.indexOf(parts.weekday!.toLowerCase() as (typeof weekdays)[number])
  return { day, time: `${parts.hour}:${parts.minute}` }
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name })
    return true
  } catch {
    return false
  }
}
