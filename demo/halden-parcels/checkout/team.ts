import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions } from './decisions.ts'
import { moments } from './moments.ts'
import { runs } from './runs.ts'
import { stories } from './stories.ts'

const deniedPaths = ['infra/**', 'src/payment/keys/**']
const agent = { executor: 'claude_code', deniedPaths } as const
const budgets = { runCents: 1_500, dayCents: 9_000, monthCents: 90_000 }

export const checkout: DemoTeam = {
  slug: 'checkout-web',
  name: 'Checkout Web',
  description: 'Basket, locker choice, payment and order pages of the web shop.',
  keyPrefix: 'WEB',
  createdBy: 'ines.carvalho@example.com',
  createdMinutesAgo: 13_440,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'supervised',
      departures: agent,
      reason: 'First policy: every plan and every merge is seen by a person.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 13_430,
    },
    {
      preset: 'balanced',
      departures: agent,
      reason: 'Review of the first days: small changes may merge without asking.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 10_300,
    },
    {
      preset: 'balanced',
      departures: { ...agent, budgets },
      reason: 'The run of WEB-12 used 9.10 euro of 10.00; payment stories need more room.',
      by: 'ines.carvalho@example.com',
      minutesAgo: 7_000,
    },
    {
      preset: 'balanced',
      departures: { ...agent, budgets, mergePolicy: 'ask', autoMergeMaxLines: null },
      reason:
        'Outcome of the incident review: merges in checkout are asked for until the end of the quarter.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 2_600,
    },
    {
      preset: 'balanced',
      departures: { ...agent, maxConcurrency: 4, budgets, mergePolicy: 'ask', autoMergeMaxLines: null },
      reason: 'Runs that wait for an answer filled the three places.',
      by: 'joris.vandijk@example.com',
      minutesAgo: 1_250,
    },
  ]),
  stories,
  runs,
  decisions,
  moments,
}
