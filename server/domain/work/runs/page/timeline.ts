import type { Segment } from '@signalbox/contract/app/runs.ts'
import type { Phase } from '../phase.ts'

type Stage = Segment['stage']

/** Where a run stood from a moment on, as its events tell. Times are milliseconds. */
export interface Mark {
  at: number
  phase: Phase
  stage: Stage
  attempt: number
}

export interface PastAttempt {
  attempt: number
  stage: Stage
  startedAt: number | null
  completedAt: number | null
}

/**
 * How a run has spent its time. What came before its first event is told from its attempts and from when people were
 * asked: less exactly, since the stages of an attempt left no trace of their own then.
 */
export function timelineOf(run: {
  createdAt: number
  attempts: PastAttempt[]
  asked: { from: number; to: number | null }[]
  marks: Mark[]
}): Segment[] {
  const first = run.marks[0]?.at ?? Number.POSITIVE_INFINITY
  const marks = [...before(run).filter(({ at }) => at < first), ...run.marks]
  const segments: Segment[] = []
  marks.forEach((mark, index) => {
    const kind = segmentKinds[mark.phase]
    if (!kind) return
    const next = marks[index + 1]
    if (next && next.at === mark.at) return
    const last = segments.at(-1)
    const from = new Date(mark.at).toISOString()
    const to = next ? new Date(next.at).toISOString() : null
    const { attempt, stage } = mark
    if (last && last.to === from && last.kind === kind && last.stage === stage && last.attempt === attempt)
      last.to = to
    else segments.push({ attempt, kind, stage, from, to })
  })
  return segments
}

/** What a run's time in each phase is spent on; null: it is over. */
export const segmentKinds: Record<Phase, Segment['kind'] | null> = {
  queued: 'queue',
  working: 'work',
  waiting: 'wait',
  opening: 'merge',
  merging: 'merge',
  watching: 'merge',
  reverting: 'merge',
  succeeded: null,
  failed: null,
  timed_out: null,
  stopped: null,
}

function before({ createdAt, attempts, asked, marks: [known] }: Parameters<typeof timelineOf>[0]): Mark[] {
  // An attempt has the stage that it came to, which is not the one it was queued for.
  const stage = known?.attempt === 1 ? known.stage : (attempts[0]?.stage ?? 'planning')
  const marks: Mark[] = [{ at: createdAt, phase: 'queued', stage, attempt: 1 }]
  for (const { attempt, stage, startedAt, completedAt } of attempts) {
    if (startedAt === null) continue
    marks.push({ at: startedAt, phase: 'working', stage, attempt })
    const end = completedAt ?? Number.POSITIVE_INFINITY
    for (const { from, to } of asked) {
      if (from < startedAt || from >= end) continue
      marks.push({ at: from, phase: 'waiting', stage, attempt })
      if (to !== null && to < end) marks.push({ at: to, phase: 'working', stage, attempt })
    }
    // Which end it was makes no difference here: from then on, no time is spent.
    if (completedAt !== null) marks.push({ at: completedAt, phase: 'stopped', stage, attempt })
  }
  return marks.sort((a, b) => a.at - b.at)
}
