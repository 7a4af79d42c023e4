const written =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?)?\s?(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?$/

/**
 * A time as senders write it, in ISO 8601 or as an epoch in any unit, as ISO 8601 in UTC with milliseconds. Null for
 * anything else, and for the zero times that mean "not yet".
 */
export function instant(value: unknown): string | null {
  if (typeof value === 'number') return fromEpoch(value)
  if (typeof value !== 'string' || value.length > 60) return null
  const text = value.trim()
  return /^\d{1,19}(\.\d{1,9})?$/.test(text) ? fromEpoch(Number(text)) : fromText(text)
}

function fromText(text: string): string | null {
  const parts = written.exec(text)
  if (!parts) return null
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0))
  const ms = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(Date.UTC(year!, month! - 1, day!))
  // The calendar is not stretched: 30 February is a mistake, not 1 March.
  if (date.getUTCMonth() !== month! - 1 || hour! > 23 || minute! > 59 || second! > 60) return null
  const local = date.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000 + ms
  const offset = offsetMs(parts[8] ?? 'Z')
  return offset === null ? null : iso(local - offset)
}

/** Whether a text is written like a time, even if there is none such: 30 February, or an offset of 99 hours. */
export const looksLikeTime = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 60 && written.test(value.trim())

/** Without a zone, senders mean UTC. */
function offsetMs(zone: string): number | null {
  const [, sign, hours, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  if (!sign) return 0
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** Seconds, milliseconds, microseconds or nanoseconds: their sizes do not overlap before the year 5138. */
function fromEpoch(epoch: number): string | null {
  const ms = epoch < 1e11 ? epoch * 1000 : epoch < 1e14 ? epoch : epoch < 1e17 ? epoch / 1e3 : epoch / 1e6
  return iso(Math.floor(ms))
}

const earliest = Date.UTC(1970, 0, 2)
const latest = Date.UTC(9999, 11, 31)

const iso = (ms: number): string | null =>
  ms >= earliest && ms <= latest ? new Date(ms).toISOString() : null
