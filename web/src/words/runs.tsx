import type { RunPage, RunRow } from '@signalbox/contract/app/runs.ts'
import { CircleCheck, CircleSlash, CircleX, ClockAlert, Hand, Hourglass, LoaderCircle } from 'lucide-react'
import { Badge, type Look } from '../ui/badge.tsx'

export type Status = RunRow['status']
export type Stage = RunRow['stage']
export type FailureClass = NonNullable<RunRow['failureClass']>

/** The word and the picture of every state of a run. */
export const statuses: Record<Status, Look> = {
  queued: { word: 'Queued', tone: 'neutral', icon: Hourglass },
  running: { word: 'Running', tone: 'info', icon: LoaderCircle },
  waiting: { word: 'Needs an answer', tone: 'warn', icon: Hand },
  succeeded: { word: 'Succeeded', tone: 'ok', icon: CircleCheck },
  failed: { word: 'Failed', tone: 'danger', icon: CircleX },
  timed_out: { word: 'Timed out', tone: 'danger', icon: ClockAlert },
  stopped: { word: 'Stopped', tone: 'neutral', icon: CircleSlash },
}

export const stages: Record<Stage, string> = {
  planning: 'Planning',
  implementing: 'Implementing',
  verifying: 'Verifying',
  handing_off: 'Handing off',
}

/** What a class of failure means, and what to do next. */
export const failures: Record<FailureClass, { word: string; means: string; next: string }> = {
  transient: {
    word: 'transient',
    means: 'Something outside the run was not available, and the automatic retries are used up.',
    next: 'Retry the run once it is back. No guidance is needed.',
  },
  persistent: {
    word: 'persistent',
    means: 'The work cannot be done as it stands. Another attempt would end the same way.',
    next: 'Read the last lines of the log, then retry with guidance, or change the story.',
  },
  policy: {
    word: 'policy',
    means: 'The work needed something that the policy of the team denies.',
    next: 'Change the story so that it does without, or have an owner or admin change the policy.',
  },
  budget: {
    word: 'budget',
    means: 'The budget of the run was spent before the work was done.',
    next: 'Split the story, or raise the budget of a run in the policy, then retry.',
  },
  gate: {
    word: 'gate',
    means: 'A gate did not let the change pass.',
    next: 'See under Evidence which one and why, then retry with guidance.',
  },
  dependency: {
    word: 'dependency',
    means: 'Something or somebody the run depends on did not do their part.',
    next: 'Look at the cause, settle it there, then retry.',
  },
}

export const executors: Record<RunRow['executor'], string> = {
  claude_code: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
  copilot: 'Copilot',
  command: 'Own command',
  scripted: 'Scripted',
}

export const isOver = (status: Status) =>
  status === 'succeeded' || status === 'failed' || status === 'timed_out' || status === 'stopped'

/** What a run does after the work, which is neither a worker's turn nor a person's. */
const afterWork: Partial<Record<RunPage['phase'], string>> = {
  merging: 'merging',
  watching: 'watching the main branch',
  reverting: 'opening a revert',
}

/** What a run is at, in words: its stage while it is open, its class of failure when it failed. */
function standingOf(run: Pick<RunRow, 'status' | 'stage' | 'failureClass' | 'phase'>): string {
  if (run.status === 'succeeded' || run.status === 'stopped') return ''
  if (isOver(run.status)) return run.failureClass ? failures[run.failureClass].word : ''
  return afterWork[run.phase] ?? stages[run.stage].toLowerCase()
}

export function RunState({ run }: { run: Pick<RunRow, 'status' | 'stage' | 'failureClass' | 'phase'> }) {
  const { word, ...look } = statuses[run.status]
  const standing = standingOf(run)
  return <Badge {...look} word={standing ? `${word}: ${standing}` : word} />
}
