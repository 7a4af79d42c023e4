import { played } from '../../played.ts'
import type { DemoTeam } from '../../script.ts'
import { decisions } from './decisions.ts'
import { moments } from './moments.ts'
import { runs } from './runs.ts'
import { stories } from './stories.ts'

const deniedPaths = ['boot/keys/**', 'release/signing/**']

export const locker: DemoTeam = {
  slug: 'locker-firmware',
  name: 'Locker Firmware',
  description: 'Firmware for the locker stations, and the gateway they talk to.',
  keyPrefix: 'LOCK',
  createdBy: 'tomasz.wrobel@example.com',
  createdMinutesAgo: 13_200,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'supervised',
      departures: { executor: 'claude_code', deniedPaths },
      reason: 'Firmware is supervised; key material is off limits.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 13_190,
    },
    {
      preset: 'supervised',
      departures: { executor: 'codex', deniedPaths },
      reason: 'Trying a second coding agent on the C code.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 11_000,
    },
    {
      preset: 'supervised',
      departures: {
        ...{ executor: 'codex', deniedPaths },
        secondReview: { by: 'another_vendor', model: null, holdsMerge: false },
      },
      reason:
        'Firmware is hard to fix once it’s on a station: an agent of another vendor reads every change.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 6_000,
    },
  ]),
  stories,
  runs,
  decisions,
  moments,
}
