import type { RunRow } from '@signalbox/contract/app/runs.ts'

type FailureClass = NonNullable<RunRow['failureClass']>

/** What a class of failure means, and what to do next. */
export const failures: Record<FailureClass, { word: string; means: string; next: string }> = {
  transient: {
    word: 'temporary error',
    means: 'Something outside the run was unavailable, and the automatic retries ran out.',
    next: 'Retry the run once it’s back. No guidance needed.',
  },
  persistent: {
    word: 'permanent error',
    means: 'The work can’t be done as described. Another attempt would fail the same way.',
    next: 'Check the last lines of the log, then retry with guidance or change the story.',
  },
  policy: {
    word: 'blocked by policy',
    means: 'The work needed something the team’s policy doesn’t allow.',
    next: 'Change the story so it doesn’t need it, or ask an owner or admin to change the policy.',
  },
  budget: {
    word: 'out of budget',
    means: 'The run spent its budget before the work was done.',
    next: 'Split the story or raise the run budget in the policy, then retry.',
  },
  gate: {
    word: 'gate failed',
    means: 'The change didn’t pass a gate.',
    next: 'Check Evidence to see which gate failed and why, then retry with guidance.',
  },
  dependency: {
    word: 'dependency failed',
    means: 'Something the run depends on failed.',
    next: 'Fix the cause, then retry.',
  },
}
