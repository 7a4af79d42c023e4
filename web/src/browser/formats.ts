/**
 * How numbers, amounts and moments are written: as the browser does, in its time zone, unless the person has chosen
 * otherwise. Words stay English, as the rest of the app, so that no sentence is in two languages.
 */
export interface Formats {
  /** A BCP 47 tag; empty: the browser's. */
  locale: string
  /** An IANA name; empty: the browser's. */
  zone: string
}

let chosen: Formats = { locale: '', zone: '' }

export function applyFormats(formats: Formats): void {
  chosen = formats
  made.clear()
}

/** Making one takes longer than using it a thousand times. */
const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

function once<F extends Intl.NumberFormat | Intl.DateTimeFormat>(name: string, make: () => F): F {
  const format = (made.get(name) as F | undefined) ?? make()
  made.set(name, format)
  return format
}

const locale = () => chosen.locale || undefined

const numbers = (name: string, options: Intl.NumberFormatOptions) =>
  once(name, () => new Intl.NumberFormat(locale(), options))

/** As the reader writes them; `name` is what it is made once for. */
export const moments = (name: string, options: Intl.DateTimeFormatOptions) =>
  once(name, () => new Intl.DateTimeFormat(locale(), { timeZone: chosen.zone || undefined, ...options }))

/** `12,400` */
export const grouped = (count: number): string => numbers('grouped', {}).format(count)

/** `1 run`, `12,400 runs` */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : several}`

const currency = { style: 'currency', currency: 'EUR' } as const

/** `€8` or `€8.25`, for figures that stand alone. */
export const money = (cents: number): string =>
  cents % 100 === 0
    ? numbers('whole', { ...currency, maximumFractionDigits: 0 }).format(cents / 100)
    : moneyToTheCent(cents)

/** `€8.00`, for settings, which are compared with each other. */
export const moneyToTheCent = (cents: number): string => numbers('money', currency).format(cents / 100)

/** `17 Nov 2026, 09:40` */
export const dateOf = (at: string | Date): string =>
  moments('moment', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))

/** With seconds and the name of the time zone. */
export const exactTime = (at: string | Date): string =>
  moments('exact', { dateStyle: 'medium', timeStyle: 'long' }).format(new Date(at))

/** `17 Nov`: a day of a calendar, wherever it is read. */
export const shortDay = (day: string): string =>
  moments('day', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(day))

/** `Tue 17 Nov`, the same with its weekday. */
export const dayOf = (day: string): string =>
  moments('weekday', { weekday: 'short', month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(day),
  )

/** Whether the reader's time differs from UTC at that moment. */
export const isNotUtc = (at: string): boolean => {
  const hours = (timeZone: string | undefined) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(new Date(at))
  return hours(chosen.zone || undefined) !== hours('UTC')
}
