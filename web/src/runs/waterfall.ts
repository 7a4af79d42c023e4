import type { Segment } from '@signalbox/contract/app/runs.ts'

/** A stretch of time as a bar: where it begins and how wide it is, in parts of the whole. */
export interface Bar extends Segment {
  milliseconds: number
  left: number
  width: number
}

export interface AttemptBars {
  attempt: number
  bars: Bar[]
}

/** All stretches on one scale, from the first to the last, by attempt. What still lasts, lasts until now. */
export function barsOf(segments: readonly Segment[], now: number): AttemptBars[] {
  const begin = Math.min(...segments.map(({ from }) => Date.parse(from)))
  const end = Math.max(...segments.map(({ to }) => (to === null ? now : Date.parse(to))))
  const whole = Math.max(1, end - begin)
  const attempts: AttemptBars[] = []
  for (const segment of segments) {
    const from = Date.parse(segment.from)
    const milliseconds = Math.max(0, (segment.to === null ? now : Date.parse(segment.to)) - from)
    const bar = { ...segment, milliseconds, left: (from - begin) / whole, width: milliseconds / whole }
    const last = attempts.at(-1)
    if (last?.attempt === segment.attempt) last.bars.push(bar)
    else attempts.push({ attempt: segment.attempt, bars: [bar] })
  }
  return attempts
}

/** How long a run spent on each kind of stretch. */
export function totalsOf(segments: readonly Segment[], now: number): Record<Segment['kind'], number> {
  const totals = { queue: 0, work: 0, wait: 0, merge: 0 }
  for (const { kind, from, to } of segments)
    totals[kind] += Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from))
  return totals
}
