import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions } from './decisions.ts'
import { moments } from './moments.ts'
import { runs } from './runs.ts'
import { stories } from './stories.ts'

/** The one team whose policy is an unchanged preset; which agent works for it is no departure. */
export const route: DemoTeam = {
  slug: 'route-planning',
  name: 'Route Planning',
  description: 'Plans the vans’ daily tours between depots and lockers.',
  keyPrefix: 'ROUTE',
  createdBy: 'ines.carvalho@example.com',
  createdMinutesAgo: 13_400,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'balanced',
      departures: { executor: 'codex' },
      reason: 'First policy.',
      by: 'ines.carvalho@example.com',
      minutesAgo: 13_390,
    },
    {
      preset: 'autonomous',
      departures: { executor: 'codex' },
      reason: 'The planner has a 90-day replay suite; what passes may merge.',
      by: 'ines.carvalho@example.com',
      minutesAgo: 9_800,
    },
    {
      preset: 'autonomous',
      departures: { executor: 'opencode' },
      reason: 'Open-source agent, so the runner can stay in the depot network.',
      by: 'joris.vandijk@example.com',
      minutesAgo: 6_100,
    },
  ]),
  stories,
  runs,
  decisions,
  moments,
}
