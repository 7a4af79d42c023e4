import type { DemoRun } from '../../script.ts'
import { gate } from '../../shorthand.ts'

const pull = (number: number) => ({
  url: `https://git.example.com/halden/data-platform/pull/${number}`,
  number,
})

const inventoryGates = [
  gate('denied paths', 'passed', '6 changed files, none denied'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '517 passed in 44 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
]

const pseudonymGates = [
  gate('denied paths', 'passed', '4 changed files, none denied'),
  gate('unit tests', 'passed', '526 passed in 45 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('security scan', 'passed', 'no findings'),
]

const partitionGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '538 passed in 45 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
]

const eventGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '559 passed in 48 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('benchmark', 'passed', '18,900 events/s, base 19,700 (-4.1 %)'),
]

const indexGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (3 files)'),
  gate('unit tests', 'passed', '583 passed in 52 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('migration rehearsal', 'passed', 'full copy, 410 million rows, 3 h 12 min, longest lock 140 ms'),
]

const proofGates = [
  gate('diff guard', 'failed', '1 of 2 acceptance files changed: .kanman/acceptance/data-7/proof.spec.ts'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '577 passed in 50 s'),
  gate('acceptance', 'failed', '2 of 3 criteria with the approved spec'),
]

export const runs: DemoRun[] = [
  {
    id: 'data-erasure-first',
    storyKey: 'DATA-5',
    budgetCents: 1_000,
    createdMinutesAgo: 4_300,
    attempts: [
      {
        status: 'timed_out',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 391,
        failureClass: 'persistent',
        error: 'No progress for 60 minutes while the integration tests copied the warehouse fixtures.',
        startedMinutesAgo: 4_298,
        completedMinutesAgo: 4_170,
      },
    ],
  },
  {
    id: 'data-inventory',
    storyKey: 'DATA-1',
    budgetCents: 800,
    createdMinutesAgo: 12_500,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'gemini',
        costCents: 371,
        verification: { result: 'passed', gates: inventoryGates, verifiedMinutesAgo: 12_212 },
        startedMinutesAgo: 12_498,
        completedMinutesAgo: 12_108,
      },
    ],
    evidence: {
      commit: 'ce9da201e0c0d1a0dc00f0e71a714a16e81c1aad',
      gates: inventoryGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'inventory.spec.ts: 31 tables with purpose and retention' },
        {
          id: 'ac-2',
          result: 'passed',
          proof: 'annotation.spec.ts: recipient_email without annotation fails',
        },
        { id: 'ac-3', result: 'passed', proof: 'inventory.spec.ts: 23 of 23 tables of the audit report' },
      ],
      changes: {
        files: 6,
        additions: 309,
        deletions: 4,
        paths: [
          'tools/inventory/annotations.ts',
          'tools/inventory/inventory.ts',
          'tools/inventory/inventory.test.ts',
          'tools/inventory/names.ts',
          'docs/personal-data.md',
          'package.json',
        ],
      },
      demonstration: 'The list names 31 tables; a test migration with recipient_email fails the build.',
      collectedMinutesAgo: 12_212,
    },
    pullRequest: pull(55),
  },
  {
    id: 'data-pseudonymise',
    storyKey: 'DATA-2',
    budgetCents: 1_000,
    createdMinutesAgo: 10_400,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'gemini',
        costCents: 286,
        verification: { result: 'passed', gates: pseudonymGates, verifiedMinutesAgo: 10_268 },
        startedMinutesAgo: 10_398,
        completedMinutesAgo: 10_260,
      },
    ],
    evidence: {
      commit: '236d31def0b9d2993134b65ab3adf32b1cc8fa65',
      gates: pseudonymGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'export.spec.ts: no name, e-mail or number in 1,000 rows' },
        { id: 'ac-2', result: 'passed', proof: 'export.spec.ts: 871 pseudonyms in both exports' },
        { id: 'ac-3', result: 'passed', proof: 'export.spec.ts: key absent from log output' },
      ],
      changes: {
        files: 4,
        additions: 132,
        deletions: 27,
        paths: [
          'jobs/analytics-export/export.ts',
          'jobs/analytics-export/pseudonym.ts',
          'jobs/analytics-export/pseudonym.test.ts',
          'jobs/analytics-export/README.md',
        ],
      },
      demonstration: 'Dry run over 1,000 orders: no "@" in the file, 871 pseudonyms.',
      collectedMinutesAgo: 10_268,
    },
    pullRequest: pull(58),
  },
  {
    id: 'data-partition-alert',
    storyKey: 'DATA-3',
    budgetCents: 1_000,
    createdMinutesAgo: 8_600,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'gemini',
        costCents: 219,
        verification: { result: 'passed', gates: partitionGates, verifiedMinutesAgo: 8_487 },
        startedMinutesAgo: 8_598,
        completedMinutesAgo: 8_480,
      },
    ],
    evidence: {
      commit: '0bdf6593d1b61b4b171b2f3a9f889eeaf77ee09a',
      gates: partitionGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'partition-check.spec.ts: one alert, Moss, 0 of 18,320 rows' },
        { id: 'ac-2', result: 'passed', proof: 'partition-check.spec.ts: closed depot raises none' },
        { id: 'ac-3', result: 'passed', proof: 'partition-check.spec.ts: resolved after the complete load' },
      ],
      changes: {
        files: 4,
        additions: 147,
        deletions: 3,
        paths: [
          'jobs/nightly-load/load.ts',
          'jobs/nightly-load/partition-check.ts',
          'jobs/nightly-load/partition-check.test.ts',
          'alerts/rules.json',
        ],
      },
      demonstration: 'Fixture without Moss: one alert; complete fixture: alert resolved.',
      collectedMinutesAgo: 8_487,
    },
    pullRequest: pull(64),
  },
  {
    id: 'data-idempotent-events',
    storyKey: 'DATA-4',
    budgetCents: 1_000,
    createdMinutesAgo: 5_900,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'gemini',
        costCents: 633,
        verification: { result: 'passed', gates: eventGates, verifiedMinutesAgo: 5_710 },
        startedMinutesAgo: 5_898,
        completedMinutesAgo: 5_700,
      },
    ],
    evidence: {
      commit: '4496e0ed7afceaa86dc3f3464849a845d1f7c3a0',
      gates: eventGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'replay.spec.ts: equal checksums after two replays' },
        { id: 'ac-2', result: 'passed', proof: 'consumer.test.ts: late event applied in its place' },
        { id: 'ac-3', result: 'passed', proof: 'bench:consumer: -4.1 %' },
      ],
      changes: {
        files: 5,
        additions: 187,
        deletions: 96,
        paths: [
          'consumer/apply.ts',
          'consumer/apply.test.ts',
          'consumer/position.ts',
          'migrations/0142_parcel_position.sql',
          'bench/consumer.ts',
        ],
      },
      demonstration: 'Fixture day replayed twice with equal checksums; throughput 4.1 % below the base.',
      collectedMinutesAgo: 5_710,
    },
    pullRequest: pull(70),
  },
  {
    id: 'data-erasure',
    storyKey: 'DATA-5',
    budgetCents: 1_000,
    createdMinutesAgo: 1_350,
    attempts: [
      {
        status: 'waiting',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 447,
        startedMinutesAgo: 1_348,
      },
    ],
  },
  {
    id: 'data-recipient-index',
    storyKey: 'DATA-6',
    budgetCents: 1_000,
    createdMinutesAgo: 2_500,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 462,
        failureClass: 'gate',
        error:
          'migration rehearsal: create index held an exclusive lock on parcel_events for 94 s (limit 1 s)',
        verification: {
          result: 'failed',
          gates: [
            gate('unit tests', 'passed', '581 passed in 52 s'),
            gate('migration rehearsal', 'failed', 'longest lock 94 s, limit 1 s'),
          ],
          verifiedMinutesAgo: 2_056,
        },
        startedMinutesAgo: 2_498,
        completedMinutesAgo: 2_050,
      },
      {
        status: 'waiting',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 318,
        verification: { result: 'passed', gates: indexGates, verifiedMinutesAgo: 1_712 },
        startedMinutesAgo: 2_046,
      },
    ],
    evidence: {
      commit: '579f09222a2bed27a584d21b54fa8973381f412a',
      gates: indexGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'lookup.spec.ts on the full copy: 37 events in 310 ms' },
        { id: 'ac-2', result: 'passed', proof: 'backfill.spec.ts: stopped at 40 %, continued, 0 duplicates' },
        { id: 'ac-3', result: 'passed', proof: 'consumer.spec.ts: in the table after 180 ms' },
      ],
      changes: {
        files: 9,
        additions: 1_041,
        deletions: 79,
        paths: [
          'migrations/0151_recipient_lookup.sql',
          'migrations/0152_recipient_lookup_index.sql',
          'consumer/apply.ts',
          'consumer/lookup.ts',
          'consumer/lookup.test.ts',
          'jobs/backfill/recipient-lookup.ts',
          'jobs/backfill/recipient-lookup.test.ts',
          'tools/inventory/find.ts',
          'docs/backfill.md',
        ],
      },
      demonstration: 'Backfill stopped at 40 % and continued; r-10442 found in 310 ms with 37 events.',
      collectedMinutesAgo: 1_712,
    },
    pullRequest: pull(81),
  },
  {
    id: 'data-erasure-proof',
    storyKey: 'DATA-7',
    budgetCents: 1_000,
    createdMinutesAgo: 640,
    attempts: [
      {
        status: 'waiting',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 356,
        verification: { result: 'failed', gates: proofGates, verifiedMinutesAgo: 474 },
        startedMinutesAgo: 638,
      },
    ],
    evidence: {
      commit: '0a4f9fa423350b233931da53f50a0be52d057e0b',
      gates: proofGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'proof.spec.ts: one proof with 6 tables and counts' },
        {
          id: 'ac-2',
          result: 'failed',
          proof: 'approved proof.spec.ts: e-mail found in proof.details.requestedBy',
        },
        { id: 'ac-3', result: 'passed', proof: 'role.spec.ts: delete as erasure_job is denied' },
      ],
      changes: {
        files: 5,
        additions: 268,
        deletions: 15,
        paths: [
          '.kanman/acceptance/data-7/proof.spec.ts',
          'jobs/erasure/proof.ts',
          'jobs/erasure/proof.test.ts',
          'migrations/0154_erasure_proof.sql',
          'docs/erasure.md',
        ],
      },
      demonstration:
        'Proof written with 6 tables; a search for the e-mail found one hit in details.requestedBy.',
      collectedMinutesAgo: 474,
    },
  },
  {
    id: 'data-warehouse-client',
    storyKey: 'DATA-8',
    budgetCents: 800,
    createdMinutesAgo: 12_400,
    attempts: [
      {
        status: 'failed',
        stage: 'planning',
        executor: 'gemini',
        costCents: 92,
        failureClass: 'dependency',
        error: 'The question about rounding was not answered within 7 days.',
        startedMinutesAgo: 12_398,
        completedMinutesAgo: 2_250,
      },
    ],
  },
  {
    id: 'data-search-index',
    storyKey: 'DATA-10',
    budgetCents: 1_000,
    createdMinutesAgo: 3_900,
    attempts: [
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 58,
        failureClass: 'transient',
        error: 'Package registry answered 502 for search-client; npm ci failed after 3 tries.',
        startedMinutesAgo: 3_898,
        completedMinutesAgo: 3_850,
      },
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 41,
        failureClass: 'transient',
        error: 'Package registry answered 502 for search-client; npm ci failed after 3 tries.',
        startedMinutesAgo: 3_845,
        completedMinutesAgo: 3_790,
      },
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 47,
        failureClass: 'transient',
        error: 'Runner build-02: no space left on device while unpacking node_modules (97 % used).',
        startedMinutesAgo: 3_780,
        completedMinutesAgo: 3_720,
      },
    ],
  },
  {
    id: 'data-backfill',
    storyKey: 'DATA-11',
    budgetCents: 1_000,
    createdMinutesAgo: 75,
    attempts: [
      {
        status: 'running',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 163,
        startedMinutesAgo: 73,
      },
    ],
  },
  {
    id: 'data-invoices',
    storyKey: 'DATA-12',
    budgetCents: 1_000,
    createdMinutesAgo: 7_000,
    attempts: [
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'gemini',
        costCents: 157,
        failureClass: 'gate',
        error:
          'Acceptance spec could not be made to fail for the right reason: no sample file of the new layout.',
        startedMinutesAgo: 6_998,
        completedMinutesAgo: 6_700,
      },
    ],
  },
]
