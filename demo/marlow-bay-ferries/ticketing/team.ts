import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions } from './decisions.ts'
import { moments } from './moments.ts'
import { runs } from './runs.ts'
import { stories } from './stories.ts'

export const ticketing: DemoTeam = {
  slug: 'ticketing',
  name: 'Ticketing',
  description: 'Ticket sales and boarding for the island ferries.',
  keyPrefix: 'FERRY',
  createdBy: 'noor.rahimi@example.org',
  createdMinutesAgo: 8_940,
  policies: played('noor.rahimi@example.org', [
    {
      preset: 'supervised',
      departures: { executor: 'codex', deniedPaths: ['ops/**'] },
      reason: 'First policy.',
      by: 'noor.rahimi@example.org',
      minutesAgo: 8_930,
    },
  ]),
  stories,
  runs,
  decisions,
  moments,
}
