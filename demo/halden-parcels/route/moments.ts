import { amara, joris, service } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'
import {
  issueMoved,
  mergeAllowed,
  signalReceived,
  storyWritten,
  writeDenied,
} from '../../shorthand/moments.ts'

const plannerChecks = { kind: 'generic', id: 'generic-planner', name: 'Route planner checks' } as const
const team = { type: 'team', id: 'route-planning', name: 'Route Planning' } as const

export const moments: DemoMoment[] = [
  mergeAllowed(12_522, 'route-opening-hours', { rule: 'auto_within_limits', lines: 187, limit: 400 }),
  issueMoved(12_519, ['ROUTE-1', 'RTE-41'], 'route-opening-hours', ['In Progress', 'Done']),
  issueMoved(11_009, ['ROUTE-2', 'RTE-42'], 'route-load-volume', ['In Progress', 'Done']),
  mergeAllowed(9_192, 'route-explain', { rule: 'auto', lines: 239 }),
  {
    minutesAgo: 7_115,
    actor: joris,
    event: 'team_paused',
    entity: team,
    details: { reason: 'Main is red: the build machines can’t read the map fixture.' },
  },
  {
    minutesAgo: 7_060,
    actor: joris,
    event: 'team_resumed',
    entity: team,
    details: { reason: 'Credentials are set and main is green.' },
  },
  signalReceived(3_580, plannerChecks, 'd6876f8f-2d78-525a-986d-1930d671502c', 'firing', {
    title: 'Map provider sandbox returns 503',
    severity: 'low',
  }),
  { ...storyWritten(1_595, ['ROUTE-16', 'RTE-91'], amara), channel: 'mcp' },
  writeDenied(
    702,
    'route-locker-full',
    'implementing',
    '.kanman/acceptance/route-6/full.spec.ts',
    '.kanman/acceptance/**',
  ),
  mergeAllowed(332, 'route-matrix-cache', { rule: 'auto', lines: 182 }),
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
      reason: 'Merges are on hold until main is green',
    },
  },
]
