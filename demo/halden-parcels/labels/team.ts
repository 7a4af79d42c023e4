import type { DemoTeam } from '../../script.ts'
import { stories } from './stories.ts'

/** The one team here whose work is real: a repository on this machine, a runner beside the server, no language model. */
export const labels: DemoTeam = {
  slug: 'label-tools',
  name: 'Label Tools',
  description: 'Works on a real repository on this machine, with a scripted agent.',
  keyPrefix: 'LBL',
  createdBy: 'joris.vandijk@example.com',
  createdMinutesAgo: 400,
  policies: [
    {
      preset: 'supervised',
      departures: { executor: 'scripted', isolation: 'none' },
      reason: 'This is a demo: the agent follows a script. Switch to a coding agent once one is installed.',
      by: 'joris.vandijk@example.com',
      minutesAgo: 390,
    },
  ],
  stories,
  runs: [],
  decisions: [],
  moments: [],
}
