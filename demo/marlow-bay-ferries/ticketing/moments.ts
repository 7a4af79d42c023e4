import { noor, service } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'

export const moments: DemoMoment[] = [
  {
    minutesAgo: 5_905,
    actor: noor,
    event: 'story_written',
    story: 'FERRY-2',
    details: { requirement: null, trackerKey: 'MBF-207', changes: [] },
  },
  {
    minutesAgo: 257,
    actor: service,
    event: 'tracker_written',
    run: 'ferry-return-ticket',
    story: 'FERRY-1',
    details: { issue: 'MBF-203', wrote: 'status', before: 'Todo', after: 'In Progress' },
  },
]
