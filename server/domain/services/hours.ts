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

/**
 * When somebody who is on call stops being so, or the other way round; null when that never happens. Windows begin and
 * end at the same time of day, so only those moments of the coming days are looked at.
 */
export function changesAt(hours: OnCallHours | null, at: Date): Date | null {
  if (!hours) return null
  const now = isOnCall(hours, at)
  const moments = Array.from({ length: 9 }, (_, days) => days - 1)
    .flatMap((days) => [hours.start, hours.end].map((time) => momentOf(at, days, time, hours.timeZone)))
    .filter((moment) => moment > at)
    .toSorted((a, b) => a.getTime() - b.getTime())
  return moments.find((moment) => isOnCall(hours, moment) !== now) ?? null
}

const dayMs = 86_400_000

/** The moment at which clocks of the zone show `time`, so many days from now. Where they skip it, an hour later. */
function momentOf(from: Date, days: number, time: string, timeZone: string): Date {
  const day = new Date(from.getTime() + offsetMs(from, timeZone) + days * dayMs).toISOString().slice(0, 10)
  const wanted = Date.parse(`${day}T${time}:00Z`)
  const near = new Date(wanted - offsetMs(new Date(wanted), timeZone))
  return new Date(wanted - offsetMs(near, timeZone))
}

/** How far the clocks of a zone are ahead of UTC at a moment, in whole minutes. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = partsOf(at, timeZone)
  const wall = Date.parse(`${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:00Z`)
  return wall - Math.floor(at.getTime() / 60_000) * 60_000
}

const formats = new Map<string, Intl.DateTimeFormat>()

function wallClock(at: Date, timeZone: string): { day: number; time: string } {
  const parts = partsOf(at, timeZone)
  const day = weekdays.indexOf(parts.weekday!.toLowerCase() as (typeof weekdays)[number])
  return { day, time: `${parts.hour}:${parts.minute}` }
}

function partsOf(at: Date, timeZone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(timeZone, format)
  }
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name })
    return true
  } catch {
    return false
  }
}
