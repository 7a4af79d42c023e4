import type { DemoTeam } from '../../script.ts'
import { moments } from './moments.ts'
import { stories } from './stories.ts'

/** The team is new and has no policy: nothing of it has been worked on. */
export const depot: DemoTeam = {
  slug: 'depot-tools',
  name: 'Depot Tools',
  description: null,
  keyPrefix: 'DEPOT',
  createdBy: 'joris.vandijk@example.com',
  createdMinutesAgo: 1_380,
  policies: [],
  stories,
  runs: [],
  decisions: [],
  moments,
}
