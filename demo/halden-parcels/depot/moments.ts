import { scheduler } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'

export const moments: DemoMoment[] = [
  {
    minutesAgo: 94,
    actor: scheduler,
    event: 'policy_evaluated',
    result: 'denied',
    story: 'DEPOT-6',
    details: { question: 'start', rule: 'no_policy' },
  },
]
