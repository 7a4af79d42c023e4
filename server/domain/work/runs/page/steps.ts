import { type RunStep, stepEnds } from '@signalbox/contract/app/runs.ts'
import type { Mark } from './timeline.ts'

/** An event of a run with what it is called and what it has cost; one that only costs has no phase. */
export interface StepEvent extends Omit<Mark, 'phase'> {
  phase: Mark['phase'] | null
  type: string
  cents: number
}

/** Lines of a log that arrived together. */
export interface Chunk {
  at: number
  first: number
  last: number
}

const isEnd = (type: string): type is (typeof stepEnds)[number] =>
  (stepEnds as readonly string[]).includes(type)

/**
 * What a worker did within each stage: from one of its reports to the next. Lines belong to the step in which the
 * server received them; those of an earlier stage are never taken later, so no stage has lines of another.
 */
export function stepsOf(events: readonly StepEvent[], chunks: readonly Chunk[]): RunStep[] {
  const steps: (Omit<RunStep, 'from' | 'to' | 'lines'> & { from: number; to: number | null })[] = []
  let open: (typeof steps)[number] | null = null
  for (const { at, phase, stage, attempt, type, cents } of events) {
    if (open) open.cents += cents
    if (!phase || type === 'usage') continue
    // A stage that was left without a report of its worker has ended all the same.
    if (open && (isEnd(type) || phase !== 'working' || stage !== open.stage || attempt !== open.attempt)) {
      steps.push({ ...open, to: at, ended: isEnd(type) ? type : null })
      open = null
    }
    if (phase === 'working') open ??= { attempt, stage, ended: null, from: at, to: null, cents: 0 }
  }
  if (open) steps.push(open)
  return steps.map((step) => ({
    ...step,
    from: new Date(step.from).toISOString(),
    to: step.to === null ? null : new Date(step.to).toISOString(),
    lines: linesIn(chunks, step.from, step.to ?? Number.POSITIVE_INFINITY),
  }))
}

function linesIn(chunks: readonly Chunk[], from: number, to: number): RunStep['lines'] {
  const within = chunks.filter(({ at }) => at > from && at <= to)
  if (within.length === 0) return null
  return {
    first: Math.min(...within.map(({ first }) => first)),
    last: Math.max(...within.map(({ last }) => last)),
  }
}
