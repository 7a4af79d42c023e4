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
  description: 'The web shop’s basket, locker choice, payment and order pages.',
  keyPrefix: 'WEB',
  createdBy: 'ines.carvalho@example.com',
  createdMinutesAgo: 13_440,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'supervised',
      departures: agent,
      reason: 'First policy: a person sees every plan and every merge.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 13_430,
    },
    {
      preset: 'balanced',
      departures: agent,
      reason: 'After the first few days: small changes may merge without asking.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 10_300,
    },
    {
      preset: 'balanced',
      departures: { ...agent, budgets },
      reason: 'The WEB-12 run used €9.10 of €10; payment stories need more room.',
      by: 'ines.carvalho@example.com',
      minutesAgo: 7_000,
    },
    {
      preset: 'balanced',
      departures: { ...agent, budgets, mergePolicy: 'ask', autoMergeMaxLines: null },
      reason: 'Incident review: merges in checkout need approval until the end of the quarter.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 2_600,
    },
    {
      preset: 'balanced',
      departures: { ...agent, maxConcurrency: 4, budgets, mergePolicy: 'ask', autoMergeMaxLines: null },
      reason: 'Runs waiting for an answer took up all three slots.',
      by: 'joris.vandijk@example.com',
      minutesAgo: 1_250,
    },
  ]),
  stories,
  runs,
  decisions,
  localWork: [
    {
      storyKey: 'WEB-38',
      by: 'leila.haddad@example.com',
      agent: 'Claude Code (demo data)',
      begunMinutesAgo: 95,
      reports: [
        {
          minutesAgo: 70,
          stage: 'implementing',
          message: 'The order page shows the depot’s name. Opening hours are next.',
        },
        {
          minutesAgo: 25,
          stage: 'implementing',
          message: 'Opening hours are there for weekdays and Saturdays. Holidays are missing.',
        },
      ],
    },
  ],
  moments,
}
