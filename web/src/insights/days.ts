const dayMs = 86_400_000

/** Every day from the first to the last, also those on which nothing happened. */
export function daysFrom({ from, to }: { from: string; to: string }): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** About `most` of the days, evenly apart, ending with the last: today is what people look for first. */
export function ticks(days: string[], most: number): string[] {
  const step = Math.max(1, Math.ceil(days.length / Math.max(1, most)))
  return days.filter((_, index) => (days.length - 1 - index) % step === 0)
}

/** Where an axis ends: the next round number whose half is round too, and no less than two of the smallest unit. */
export function roundUp(value: number, unit: number): number {
  if (value <= 2 * unit) return 2 * unit
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 3, 4, 5, 6, 8, 10]
    .map((factor) => factor * power)
    .find((round) => round >= value && (round / 2) % unit === 0)!
}

const fewestDays = 7

/** From which day on something is to be drawn: what lies before the first fact would be an empty picture. */
export function firstShown(totals: readonly number[]): number {
  const first = totals.findIndex((total) => total > 0)
  return Math.max(0, Math.min(first - 1, totals.length - fewestDays))
}
