import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions } from './decisions.ts'
import { moments } from './moments.ts'
import { runs } from './runs.ts'
import { stories } from './stories.ts'

const deniedPaths = ['infra/terraform/**', 'secrets/**']

export const data: DemoTeam = {
  slug: 'data-platform',
  name: 'Data Platform',
  description: 'Warehouse, event log and personal data.',
  keyPrefix: 'DATA',
  createdBy: 'tomasz.wrobel@example.com',
  createdMinutesAgo: 12_900,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'supervised',
      departures: { executor: 'gemini', deniedPaths },
      reason: 'First policy.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 12_890,
    },
    {
      preset: 'balanced',
      departures: { executor: 'gemini', deniedPaths },
      reason: 'Two runs without problems; only risky plans need approval.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 10_900,
    },
    {
      preset: 'balanced',
      departures: { executor: 'claude_code', deniedPaths },
      reason: 'Same coding agent as checkout, so both teams share one contract.',
      by: 'joris.vandijk@example.com',
      minutesAgo: 4_300,
    },
  ]),
  stories,
  runs,
  decisions,
  moments,
}
