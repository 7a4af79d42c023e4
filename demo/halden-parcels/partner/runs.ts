import type { DemoRun } from '../../script.ts'
import { gate, typeCheck, unitTests } from '../../shorthand/gates.ts'
import { attempt, changed, proofs, pullsOf, succeeded, verified } from '../../shorthand/run.ts'

const pull = pullsOf('partner-portal')

export const runs: DemoRun[] = [
  {
    id: 'part-open-parcels',
    storyKey: 'PART-1',
    createdMinutesAgo: 11_000,
    attempts: [
      succeeded(
        { costCents: 171, startedMinutesAgo: 10_998, completedMinutesAgo: 10_780 },
        verified(
          10_790,
          typeCheck,
          unitTests(203, 18),
          gate('acceptance', 'skipped', 'acceptance spec not required on the trial'),
        ),
      ),
    ],
    evidence: {
      commit: '052e96819b8ac3e6dfeb63cc17fd04d501499575',
      criteria: proofs(
        'parcels.test.ts: 73 open parcels of shop A on two pages',
        'parcels.test.ts: parcel of shop B is answered with 404',
      ),
      changes: changed({ additions: 188, deletions: 2 }, [
        'app/parcels/page.tsx',
        'app/parcels/query.ts',
        'app/parcels/parcels.test.ts',
        'app/navigation.tsx',
      ]),
      demonstration: 'Shop A sees 73 parcels on two pages; the parcel of shop B is not found.',
    },
    pullRequest: pull(31),
  },
  {
    id: 'part-mask-phone',
    storyKey: 'PART-2',
    createdMinutesAgo: 8_900,
    attempts: [
      succeeded(
        { costCents: 88, startedMinutesAgo: 8_898, completedMinutesAgo: 8_740 },
        verified(
          8_748,
          typeCheck,
          unitTests(209, 18),
          gate('acceptance', 'skipped', 'acceptance spec not required on the trial'),
        ),
      ),
    ],
    evidence: {
      commit: '6e61d6b91cda411dfd72f1a3447c745c48c0b90a',
      criteria: proofs(
        'mask.test.ts: list and download show three digits',
        'mask.test.ts: full number absent from 12 recorded responses',
      ),
      changes: changed({ additions: 46, deletions: 11 }, [
        'app/parcels/query.ts',
        'lib/mask.ts',
        'lib/mask.test.ts',
      ]),
      demonstration: 'List of shop A shows masked numbers only.',
    },
    pullRequest: pull(36),
  },
  {
    id: 'part-statement',
    storyKey: 'PART-3',
    createdMinutesAgo: 3_400,
    attempts: [attempt('waiting', 'implementing', { costCents: 134, startedMinutesAgo: 3_398 })],
  },
  {
    id: 'part-bulk-labels',
    storyKey: 'PART-5',
    createdMinutesAgo: 5_000,
    attempts: [
      attempt('stopped', 'implementing', {
        costCents: 119,
        startedMinutesAgo: 4_998,
        completedMinutesAgo: 4_600,
        stoppedBy: 'tomasz.wrobel@example.com',
        error: 'Stopped by Tomasz Wróbel: sales must first decide which file formats to promise.',
      }),
    ],
  },
  {
    // Queued two minutes before the team was paused, so it stays queued: a paused team starts no new work.
    id: 'part-rotate-key',
    storyKey: 'PART-4',
    createdMinutesAgo: 2_872,
    attempts: [attempt('queued', 'planning', { costCents: 0 })],
  },
]
