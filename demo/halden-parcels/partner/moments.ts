import { scheduler } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'
import { issueCommented, issueMoved, writeDenied } from '../../shorthand/moments.ts'

export const moments: DemoMoment[] = [
  issueCommented(
    10_778,
    ['PART-1', 'PP-12'],
    'part-open-parcels',
    'Evidence: 2 gates passed, 1 skipped, pull request #31',
  ),
  issueMoved(8_738, ['PART-2', 'PP-15'], 'part-mask-phone', ['In Progress', 'Done']),
  writeDenied(3_205, 'part-statement', 'implementing', 'config/partners/shop-a.json', 'config/partners/**'),
  {
    minutesAgo: 2_160,
    actor: scheduler,
    event: 'policy_evaluated',
    result: 'denied',
    story: 'PART-4',
    details: { question: 'start', rule: 'team_paused' },
  },
]
