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
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((round) => round >= value)!
}
