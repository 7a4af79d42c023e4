import type { Practice } from '@signalbox/contract/app/practice.ts'

export interface Stop {
  title: string
  about: string
  /** The steps of the project while someone is here. */
  at: Practice['step'][]
}

/** The way through the practice project, in order. */
export const stops: Stop[] = [
  {
    title: 'The agent plans',
    about:
      'A story is ready, so a run starts. The agent reads the code and writes a plan before it changes anything.',
    at: ['starting', 'planning'],
  },
  {
    title: 'You approve the plan',
    about: 'The team’s policy asks you first. Without your answer nothing is changed.',
    at: ['plan'],
  },
  {
    title: 'The agent works, and gates check it',
    about:
      'It writes an acceptance test, sees it fail, makes the change, and every gate runs in a fresh checkout.',
    at: ['working'],
  },
  {
    title: 'You read the evidence and merge',
    about: 'Each criterion has its test. The evidence is signed, and what you see is what is merged.',
    at: ['merge'],
  },
  { title: 'The change is merged', about: 'A real merge in a real git repository.', at: ['merging'] },
  {
    title: 'An alert arrives',
    about: 'Send an alert whose stack trace names the merged file, as a monitoring tool would.',
    at: ['alert'],
  },
  {
    title: 'The suspect is found',
    about: 'The incident is investigated: alerts are compared with recent merges.',
    at: ['investigating'],
  },
  {
    title: 'You revert',
    about: 'One answer opens the pull request that reverts the merge.',
    at: ['revert', 'reverting'],
  },
]

/** The current step; past the end when it is done. */
export const positionOf = (step: Practice['step']): number => {
  const found = stops.findIndex(({ at }) => at.includes(step))
  return step === 'done'
    ? stops.length
    : found < 0
      ? stops.findIndex(({ at }) => at.includes('working'))
      : found
}
