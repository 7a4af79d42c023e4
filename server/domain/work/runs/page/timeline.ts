import type { Segment } from '@signalbox/contract/app/runs.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
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

interface Asked {
  from: number
  to: number | null
  /** The one in which a question of its kind is asked; null: any. */
  stage: Stage | null
}

/** Where a run stands when it asks; kinds that come up in any stage are not here. */
export const stagesOfQuestions: Partial<Record<Decision['kind'], Stage>> = {
  plan_approval: 'planning',
  scope_change: 'planning',
  gate_failure: 'implementing',
  diff_guard: 'verifying',
  verification_failed: 'verifying',
  repeated_gate_failure: 'verifying',
  merge_approval: 'handing_off',
}

/**
 * How a run has spent its time. What came before its first event is told from its attempts and from when people were
 * asked: less exactly, since the stages of an attempt left no trace of their own then.
 */
export function timelineOf(run: {
  createdAt: number
  attempts: PastAttempt[]
  asked: Asked[]
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

function before({ createdAt, attempts, marks: [known], ...run }: Parameters<typeof timelineOf>[0]): Mark[] {
  const asked = run.asked.filter(({ from }) => !known || from < known.at).sort((a, b) => a.from - b.from)
  // An attempt has the stage that it came to. What it was in earlier, only a question that was asked then tells.
  const last = known?.attempt === 1 ? known.stage : (attempts[0]?.stage ?? 'planning')
  const marks: Mark[] = [{ at: createdAt, phase: 'queued', stage: asked[0]?.stage ?? last, attempt: 1 }]
  for (const { attempt, stage, startedAt, completedAt } of attempts) {
    if (startedAt === null) continue
    const end = completedAt ?? Number.POSITIVE_INFINITY
    const own = asked.filter(({ from }) => from >= startedAt && from < end)
    marks.push({ at: startedAt, phase: 'working', stage: own[0]?.stage ?? stage, attempt })
    own.forEach(({ from, to, stage: askedIn }, index) => {
      marks.push({ at: from, phase: 'waiting', stage: askedIn ?? stage, attempt })
      if (to === null || to >= end) return
      const next = own[index + 1]
      // What is left until the first event is the wait for a runner.
      if (!next && known?.attempt === attempt)
        marks.push({ at: to, phase: known.phase, stage: known.stage, attempt })
      else marks.push({ at: to, phase: 'working', stage: next?.stage ?? stage, attempt })
    })
    // Which end it was makes no difference here: from then on, no time is spent.
    if (completedAt !== null) marks.push({ at: completedAt, phase: 'stopped', stage, attempt })
  }
  return marks.sort((a, b) => a.at - b.at)
}
