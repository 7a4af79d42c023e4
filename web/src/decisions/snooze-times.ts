export interface SnoozeTime {
  name: string
  at: Date
  /** Why it cannot be chosen; false when it can. */
  forbidden: string | false
}

const hours = (from: Date, count: number) => new Date(from.getTime() + count * 3_600_000)

/** In the morning of a day that is so many days away, where the reader is. */
function morning(from: Date, days: number): Date {
  const at = new Date(from)
  at.setDate(at.getDate() + days)
  at.setHours(9, 0, 0, 0)
  return at
}

/** Why a decision cannot be put off until then; false when it can. The server decides; this only saves the attempt. */
export function whyNotUntil(at: Date, now: Date, expiresAt: string | null): string | false {
  if (!(at > now)) return 'Choose a time in the future'
  if (expiresAt !== null && at >= new Date(expiresAt)) return 'It expires before then'
  return false
}

/** Until when a decision can be put off with one press. */
export function snoozeTimes(now: Date, expiresAt: string | null): SnoozeTime[] {
  // From Monday on: on a Monday it is the next one.
  const toMonday = (8 - now.getDay()) % 7 || 7
  return [
    { name: 'In 1 hour', at: hours(now, 1) },
    { name: 'In 4 hours', at: hours(now, 4) },
    { name: 'Tomorrow morning', at: morning(now, 1) },
    ...(toMonday > 1 ? [{ name: 'Monday morning', at: morning(now, toMonday) }] : []),
  ].map((time) => ({ ...time, forbidden: whyNotUntil(time.at, now, expiresAt) }))
}

/** As a field for a moment takes it: local time without a zone. */
export function toLocalDatetime(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}
