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
    details: { tracker: 'RTE-41', write: 'status', before: 'In Progress', after: 'Done' },
  },
  {
    minutesAgo: 11_009,
    actor: service,
    event: 'tracker_written',
    run: 'route-load-volume',
    story: 'ROUTE-2',
    details: { tracker: 'RTE-42', write: 'status', before: 'In Progress', after: 'Done' },
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
    entity: { type: 'alert', id: 'map-sandbox-503', name: 'Map provider sandbox answers 503' },
    details: {
      source: 'generic-planner',
      service: 'route-planner',
      status: 'firing',
      severity: 'low',
      reason: 'Below the lowest severity that opens an incident (high)',
    },
  },
  {
    minutesAgo: 1_595,
    actor: amara,
    event: 'story_written',
    story: 'ROUTE-16',
    details: { channel: 'mcp', tracker: 'RTE-91', drafts: 1 },
  },
  {
    minutesAgo: 702,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'route-locker-full',
    details: {
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
