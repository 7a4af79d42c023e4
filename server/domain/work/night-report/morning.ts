import type { ReportSettings } from '@signalbox/contract/notifications.ts'
import { momentAt, offsetMs } from '../../wall-clock.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000

/** After so long it is no morning any more: a server that was down sends none. */
const latestMs = 6 * hourMs
/** When the night begins, by the clocks of the person. */
const evening = '18:00'
/** Someone who turned it off for a while is not told about weeks. */
const longestMs = 4 * dayMs

export interface Morning {
  /** The day that it is there, such as 2026-03-31. */
  morning: string
  /** When the report is due. */
  at: Date
  /** When the night began. */
  evening: Date
}

/** The last morning that has begun: the hour has come by the clocks of the time zone. */
export function morningOf(now: Date, { hour, timeZone }: Pick<ReportSettings, 'hour' | 'timeZone'>): Morning {
  const shown = now.getTime() + offsetMs(now.getTime(), timeZone)
  const time = `${String(hour).padStart(2, '0')}:00`
  const begins = (day: number) => momentAt(new Date(day), time, timeZone)
  const day = begins(shown) <= now.getTime() ? shown : shown - dayMs
  return {
    morning: new Date(day).toISOString().slice(0, 10),
    at: new Date(begins(day)),
    evening: new Date(momentAt(new Date(day - dayMs), evening, timeZone)),
  }
}

/** Whether it is still time to send it. */
export const isDue = ({ at }: Morning, now: Date): boolean => now.getTime() - at.getTime() < latestMs

/** Since the last one, so that nothing falls between two; without one, since the evening. */
export const spanStartOf = ({ evening }: Morning, lastEnd: Date | undefined, now: Date): Date =>
  lastEnd && lastEnd < now && now.getTime() - lastEnd.getTime() <= longestMs ? lastEnd : evening
