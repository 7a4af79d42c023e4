import type { DemoRun } from '../../script.ts'
import { attempt } from '../../shorthand/run.ts'

export const runs: DemoRun[] = [
  {
    id: 'ferry-return-ticket',
    storyKey: 'FERRY-1',
    createdMinutesAgo: 260,
    attempts: [attempt('waiting', 'planning', { costCents: 73, startedMinutesAgo: 258 })],
  },
]
