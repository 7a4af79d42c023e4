import { scheduler, service } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'

export const moments: DemoMoment[] = [
  {
    minutesAgo: 10_778,
    actor: service,
    event: 'tracker_written',
    run: 'part-open-parcels',
    story: 'PART-1',
    details: {
      issue: 'PP-12',
      wrote: 'comment',
      summary: 'Evidence: 2 gates passed, 1 skipped, pull request #31',
    },
  },
  {
    minutesAgo: 8_738,
    actor: service,
    event: 'tracker_written',
    run: 'part-mask-phone',
    story: 'PART-2',
    details: { issue: 'PP-15', wrote: 'status', before: 'In Progress', after: 'Done' },
  },
  {
    minutesAgo: 3_205,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'part-statement',
    details: {
      question: 'access',
      path: 'config/partners/shop-a.json',
      rule: 'config/partners/**',
      access: 'write',
      stage: 'implementing',
    },
  },
  {
    minutesAgo: 2_160,
    actor: scheduler,
    event: 'policy_evaluated',
    result: 'denied',
    story: 'PART-4',
    details: { question: 'start', rule: 'team_paused' },
  },
]
