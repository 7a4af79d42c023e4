import type { DemoRun } from '../../script.ts'
import { gate } from '../../shorthand.ts'

const pull = (number: number) => ({
  url: `https://git.example.com/halden/partner-portal/pull/${number}`,
  number,
})

const parcelGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '203 passed in 18 s'),
  gate('acceptance', 'skipped', 'acceptance spec not required on the trial'),
]

const maskGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '209 passed in 18 s'),
  gate('acceptance', 'skipped', 'acceptance spec not required on the trial'),
]

export const runs: DemoRun[] = [
  {
    id: 'part-open-parcels',
    storyKey: 'PART-1',
    budgetCents: 300,
    createdMinutesAgo: 11_000,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'copilot',
        costCents: 171,
        verification: { result: 'passed', gates: parcelGates, verifiedMinutesAgo: 10_790 },
        startedMinutesAgo: 10_998,
        completedMinutesAgo: 10_780,
      },
    ],
    evidence: {
      commit: '052e96819b8ac3e6dfeb63cc17fd04d501499575',
      gates: parcelGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'parcels.test.ts: 73 open parcels of shop A on two pages' },
        { id: 'ac-2', result: 'passed', proof: 'parcels.test.ts: parcel of shop B is answered with 404' },
      ],
      changes: {
        files: 4,
        additions: 188,
        deletions: 2,
        paths: [
          'app/parcels/page.tsx',
          'app/parcels/query.ts',
          'app/parcels/parcels.test.ts',
          'app/navigation.tsx',
        ],
      },
      demonstration: 'Shop A sees 73 parcels on two pages; the parcel of shop B is not found.',
      collectedMinutesAgo: 10_790,
    },
    pullRequest: pull(31),
  },
  {
    id: 'part-mask-phone',
    storyKey: 'PART-2',
    budgetCents: 300,
    createdMinutesAgo: 8_900,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'copilot',
        costCents: 88,
        verification: { result: 'passed', gates: maskGates, verifiedMinutesAgo: 8_748 },
        startedMinutesAgo: 8_898,
        completedMinutesAgo: 8_740,
      },
    ],
    evidence: {
      commit: '6e61d6b91cda411dfd72f1a3447c745c48c0b90a',
      gates: maskGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'mask.test.ts: list and download show three digits' },
        {
          id: 'ac-2',
          result: 'passed',
          proof: 'mask.test.ts: full number absent from 12 recorded responses',
        },
      ],
      changes: {
        files: 3,
        additions: 46,
        deletions: 11,
        paths: ['app/parcels/query.ts', 'lib/mask.ts', 'lib/mask.test.ts'],
      },
      demonstration: 'List of shop A shows masked numbers only.',
      collectedMinutesAgo: 8_748,
    },
    pullRequest: pull(36),
  },
  {
    id: 'part-statement',
    storyKey: 'PART-3',
    budgetCents: 300,
    createdMinutesAgo: 3_400,
    attempts: [
      {
        status: 'waiting',
        stage: 'implementing',
        executor: 'copilot',
        costCents: 134,
        startedMinutesAgo: 3_398,
      },
    ],
  },
  {
    id: 'part-bulk-labels',
    storyKey: 'PART-5',
    budgetCents: 300,
    createdMinutesAgo: 5_000,
    attempts: [
      {
        status: 'stopped',
        stage: 'implementing',
        executor: 'copilot',
        costCents: 119,
        error: 'Stopped by Tomasz Wróbel: sales decides first which file format partners are promised.',
        startedMinutesAgo: 4_998,
        completedMinutesAgo: 4_600,
        stoppedBy: 'tomasz.wrobel@example.com',
      },
    ],
  },
  {
    // Queued two minutes before the team was paused, so it stays queued: a paused team starts no new work.
    id: 'part-rotate-key',
    storyKey: 'PART-4',
    budgetCents: 300,
    createdMinutesAgo: 2_872,
    attempts: [
      {
        status: 'queued',
        stage: 'planning',
        executor: 'copilot',
        costCents: 0,
      },
    ],
  },
]
