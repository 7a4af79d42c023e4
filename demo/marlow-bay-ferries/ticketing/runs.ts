import type { DemoRun } from '../../script.ts'

export const runs: DemoRun[] = [
  {
    id: 'ferry-return-ticket',
    storyKey: 'FERRY-1',
    budgetCents: 800,
    createdMinutesAgo: 260,
    attempts: [
      {
        status: 'waiting',
        stage: 'planning',
        executor: 'codex',
        costCents: 73,
        startedMinutesAgo: 258,
      },
    ],
  },
]
