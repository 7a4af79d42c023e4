/** What clocks show in a time zone. Daylight saving is the zone's own: nothing here adds hours to a day. */

const minuteMs = 60_000
const dayMs = 86_400_000

/** How far the clocks of a zone are ahead of UTC at a moment, in whole minutes. */
export function offsetMs(at: number, timeZone: string): number {
  const parts = partsOf(new Date(at), timeZone)
  const wall = Date.parse(`${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:00Z`)
  return wall - Math.floor(at / minuteMs) * minuteMs
}

/** When clocks of the zone show `time` on a day: twice where it is repeated; where it is skipped, just around that. */
export function momentsOf(day: Date, time: string, timeZone: string): [first: number, second: number] {
  const shown = Date.parse(`${day.toISOString().slice(0, 10)}T${time}:00Z`)
  return [shown - offsetMs(shown - dayMs, timeZone), shown - offsetMs(shown + dayMs, timeZone)]
}

/** The one moment of these that people mean: the first where it is repeated; where it is skipped, just after that. */
export function momentAt(day: Date, time: string, timeZone: string): number {
  const moments = momentsOf(day, time, timeZone).toSorted((a, b) => a - b)
  const shown = Date.parse(`${day.toISOString().slice(0, 10)}T${time}:00Z`)
  return moments.find((moment) => moment + offsetMs(moment, timeZone) === shown) ?? moments[1]!
}

const formats = new Map<string, Intl.DateTimeFormat>()

export function partsOf(at: Date, timeZone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
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
