import { amara, intake, joris, service } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'

const team = { type: 'team', id: 'route-planning', name: 'Route Planning' } as const

export const moments: DemoMoment[] = [
  {
    minutesAgo: 12_522,
    actor: service,
    event: 'policy_evaluated',
    run: 'route-opening-hours',
    details: { question: 'merge', rule: 'auto_within_limits', lines: 187, limit: 400 },
  },
  {
    minutesAgo: 12_519,
    actor: service,
    event: 'tracker_written',
    run: 'route-opening-hours',
    story: 'ROUTE-1',
    details: { issue: 'RTE-41', wrote: 'status', before: 'In Progress', after: 'Done' },
  },
  {
    minutesAgo: 11_009,
    actor: service,
    event: 'tracker_written',
    run: 'route-load-volume',
    story: 'ROUTE-2',
    details: { issue: 'RTE-42', wrote: 'status', before: 'In Progress', after: 'Done' },
  },
  {
    minutesAgo: 9_192,
    actor: service,
    event: 'policy_evaluated',
    run: 'route-explain',
    details: { question: 'merge', rule: 'auto', lines: 239 },
  },
  {
    minutesAgo: 7_115,
    actor: joris,
    event: 'team_paused',
    entity: team,
    details: { reason: 'Main is red: the build machines cannot read the map fixture.' },
  },
  {
    minutesAgo: 7_060,
    actor: joris,
    event: 'team_resumed',
    entity: team,
    details: { reason: 'Credentials are set, main is green.' },
  },
  {
    minutesAgo: 3_580,
    actor: intake,
    event: 'signal_received',
    entity: { type: 'signal_source', id: 'generic-planner', name: 'Checks of the route planner' },
    details: {
      kind: 'generic',
      delivery: 'd6876f8f-2d78-525a-986d-1930d671502c',
      alerts: 1,
      told: [{ title: 'Map provider sandbox answers 503', status: 'firing', severity: 'low' }],
    },
  },
  {
    minutesAgo: 1_595,
    actor: amara,
    event: 'story_written',
    story: 'ROUTE-16',
    channel: 'mcp',
    details: { requirement: null, trackerKey: 'RTE-91', changes: [] },
  },
  {
    minutesAgo: 702,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'route-locker-full',
    details: {
      question: 'access',
      path: '.kanman/acceptance/route-6/full.spec.ts',
      rule: '.kanman/acceptance/**',
      access: 'write',
      stage: 'implementing',
    },
  },
  {
    minutesAgo: 332,
    actor: service,
    event: 'policy_evaluated',
    run: 'route-matrix-cache',
    details: { question: 'merge', rule: 'auto', lines: 182 },
  },
  {
    minutesAgo: 23,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'route-latency',
    details: {
      question: 'merge',
      rule: 'main_red',
      pullRequest: 136,
      reason: 'Merges are held until main is green',
    },
  },
]
