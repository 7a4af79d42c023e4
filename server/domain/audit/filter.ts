import type { AuditFilter } from '@signalbox/contract/audit.ts'
import { firstIdAt } from '../../infra/ids.ts'
import { DomainError } from '../errors.ts'

/** A filter as the store wants it: moments have become bounds on ids, which begin with their millisecond. */
export interface EntryFilter {
  team?: string | undefined
  actor?: string | undefined
  event?: string | undefined
  run?: string | undefined
  fromId?: string | undefined
  beforeId?: string | undefined
}

export function entryFilter({ from, to, ...rest }: AuditFilter): EntryFilter {
  const first = from === undefined ? undefined : momentOf('from', from)
  const last = to === undefined ? undefined : momentOf('to', to)
  if (first && last && first.start >= last.end) {
    throw new DomainError('invalid_parameter', '`from` must not be later than `to`.')
  }
  return {
    ...rest,
    fromId: first && firstIdAt(new Date(first.start)),
    beforeId: last && firstIdAt(new Date(last.end)),
  }
}

const dayMs = 86_400_000
const earliest = 0
const latest = Date.UTC(9999, 11, 31)

/** A date is its whole day, a timestamp its millisecond; both ends of a range belong to it. */
function momentOf(name: string, text: string): { start: number; end: number } {
  const date =
    /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    )
  if (!date) throw notAMoment(name)
  const [, year, month, day, hour, minute, second = '0', fraction = '0', offset = 'Z'] = date
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // Date.UTC turns 30 February into 2 March; a date that comes back changed does not exist.
  if (new Date(midnight).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) throw notAMoment(name)
  if (hour === undefined) return bounded(name, midnight, dayMs)

  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  const offsetMinutes = minutesOf(offset)
  if (h > 23 || m > 59 || s > 59 || offsetMinutes === null) throw notAMoment(name)
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000)
  return bounded(name, midnight + ((h * 60 + m - offsetMinutes) * 60 + s) * 1000 + milliseconds, 1)
}

function bounded(name: string, start: number, length: number) {
  if (start < earliest || start > latest) throw notAMoment(name)
  return { start, end: start + length }
}

function minutesOf(offset: string): number | null {
  if (offset.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))]
  if (hours > 14 || minutes > 59) return null
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

const notAMoment = (name: string) =>
  new DomainError(
    'invalid_parameter',
    `\`${name}\` must be a date (2026-03-31) or an ISO 8601 timestamp (2026-03-31T14:05:00Z).`,
  )
