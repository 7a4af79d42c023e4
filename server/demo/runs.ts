import { checkoutRuns } from './runs-checkout.ts'
import { dataRuns } from './runs-data.ts'
import { lockerRuns } from './runs-locker.ts'
import { partnerRuns } from './runs-partner.ts'
import { routeRuns } from './runs-route.ts'
import type { DemoRun } from './script.ts'

export const runs: DemoRun[] = [...checkoutRuns, ...lockerRuns, ...routeRuns, ...dataRuns, ...partnerRuns]

/** The run of the second workspace. */
export const otherRuns: DemoRun[] = [
  {
    id: 'ferry-return-ticket',
    storyKey: 'FERRY-1',
    executor: 'codex',
    budgetCents: 800,
    createdMinutesAgo: 260,
    attempts: [
      {
        status: 'waiting',
        stage: 'planning',
        executor: 'codex',
        costCents: 73,
        failureClass: null,
        error: null,
        verification: null,
        startedMinutesAgo: 258,
        completedMinutesAgo: null,
      },
    ],
    evidence: null,
    pullRequest: null,
  },
]
