import { DomainError } from './errors.ts'

const dayMs = 86_400_000
const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?([Zz]|[+ -]\d{2}(?::?\d{2})?)?)?$/

/** What a parameter means by a date, its whole day, or by a timestamp, its millisecond. UTC unless it names an offset. */
export function momentIn(name: string, text: string): { start: number; end: number } {
  const no = (complaint: string) => new DomainError('invalid_parameter', `\`${name}\` ${complaint}.`)
  const [, date, hour, minute, second = '0', fraction = '0', offset = 'Z'] = iso.exec(text) ?? []
  if (!date) throw no('must be a date (2026-03-31) or an ISO 8601 timestamp (2026-03-31T14:05:00Z)')
  const midnight = new Date(`${date}T00:00:00Z`)
  // 30 February may become 2 March; a date that comes back changed does not exist.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date))
    throw no('is not a real date')
  if (hour === undefined) return { start: midnight.getTime(), end: midnight.getTime() + dayMs }
  if (minute === undefined) throw no(`has an hour without minutes: write ${date}T${hour}:00Z`)
  if (offset.startsWith(' '))
    throw no('has a space before its offset: in an address a + means a space, so write it as %2B')

  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  const offsetMinutes = minutesOf(offset)
  if (h > 23 || m > 59 || s > 59 || offsetMinutes === null) throw no('names a time that no clock shows')
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000)
  const start = midnight.getTime() + ((h * 60 + m - offsetMinutes) * 60 + s) * 1000 + milliseconds
  return { start, end: start + 1 }
}

function minutesOf(offset: string): number | null {
  if (offset.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', ''))]
  if (hours > 14 || minutes > 59) return null
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
