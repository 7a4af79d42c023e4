import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions } from './decisions.ts'
import { moments } from './moments.ts'
import { runs } from './runs.ts'
import { stories } from './stories.ts'

const deniedPaths = ['config/partners/**']

export const partner: DemoTeam = {
  slug: 'partner-portal',
  name: 'Partner Portal',
  description: 'Self-service pages for shops that ship with us.',
  keyPrefix: 'PART',
  createdBy: 'tomasz.wrobel@example.com',
  createdMinutesAgo: 11_700,
  paused: {
    minutesAgo: 2_870,
    by: 'tomasz.wrobel@example.com',
    reason: 'Reviewing the trial with sales before we start more work.',
  },
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'trial',
      departures: { executor: 'copilot', deniedPaths },
      reason: 'Four-week trial; people merge.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 11_690,
    },
    {
      preset: 'trial',
      departures: { executor: 'copilot', deniedPaths, acceptanceRequired: true },
      reason: 'Statements are legal documents, so the acceptance spec is now required.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 8_100,
    },
  ]),
  stories,
  runs,
  decisions,
  moments,
}
