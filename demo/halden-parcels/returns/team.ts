import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions, runs, stories } from './history.ts'

/** The oldest team: ten weeks of finished work, so that there is something to compare. */
export const returns: DemoTeam = {
  slug: 'returns-desk',
  name: 'Returns Desk',
  description: 'Returns, refunds and what customers see of them.',
  keyPrefix: 'RET',
  createdBy: 'tomasz.wrobel@example.com',
  createdMinutesAgo: 110_300,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'balanced',
      departures: { executor: 'claude_code', budgets: { runCents: 2_500, dayCents: null, monthCents: null } },
      reason: 'First policy.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 110_290,
    },
  ]),
  stories,
  runs,
  decisions,
  // Two merges had a consequence.
  incidents: [
    {
      service: 'returns-api',
      title: 'Refunds fail with HTTP 500',
      severity: 'high',
      suspect: 'returns-17',
      minutesAfterMerge: 190,
      lastedMinutes: 85,
      isReverted: true,
    },
    {
      service: 'returns-api',
      title: 'Return labels take longer than 10 s',
      severity: 'medium',
      suspect: 'returns-25',
      minutesAfterMerge: 1_450,
      lastedMinutes: 60,
    },
  ],
  moments: [],
}
