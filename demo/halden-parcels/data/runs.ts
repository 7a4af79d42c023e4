import { readFileSync } from 'node:fs'
import type { DemoRun } from '../../script.ts'
import {
  allCriteria,
  gate,
  noneDenied,
  securityScan,
  specUnchanged,
  typeCheck,
  unitTests,
} from '../../shorthand/gates.ts'
import { attempt, changed, failed, proofs, pullsOf, succeeded, verified } from '../../shorthand/run.ts'

const pull = pullsOf('data-platform')
const diff = (name: string) => readFileSync(new URL(`${name}.diff`, import.meta.url), 'utf8')

export const runs: DemoRun[] = [
  {
    id: 'data-erasure-first',
    storyKey: 'DATA-5',
    createdMinutesAgo: 4_300,
    attempts: [
      attempt('timed_out', 'implementing', {
        costCents: 391,
        startedMinutesAgo: 4_298,
        completedMinutesAgo: 4_170,
        failureClass: 'persistent',
        error: 'No progress for 60 minutes while the integration tests copied the warehouse fixtures.',
      }),
    ],
  },
  {
    id: 'data-inventory',
    storyKey: 'DATA-1',
    createdMinutesAgo: 12_500,
    attempts: [
      succeeded(
        { costCents: 371, startedMinutesAgo: 12_498, completedMinutesAgo: 12_108 },
        verified(12_212, noneDenied(6), typeCheck, unitTests(517, 44), allCriteria(3)),
      ),
    ],
    evidence: {
      commit: 'ce9da201e0c0d1a0dc00f0e71a714a16e81c1aad',
      criteria: proofs(
        'inventory.spec.ts: 31 tables with purpose and retention',
        'annotation.spec.ts: recipient_email without annotation fails',
        'inventory.spec.ts: 23 of 23 tables of the audit report',
      ),
      changes: changed({ additions: 309, deletions: 4 }, [
        'tools/inventory/annotations.ts',
        'tools/inventory/inventory.ts',
        'tools/inventory/inventory.test.ts',
        'tools/inventory/names.ts',
        'docs/personal-data.md',
        'package.json',
      ]),
      demonstration: 'The list names 31 tables; a test migration with recipient_email fails the build.',
    },
    pullRequest: pull(55),
  },
  {
    id: 'data-pseudonymise',
    storyKey: 'DATA-2',
    createdMinutesAgo: 10_400,
    attempts: [
      succeeded(
        { costCents: 286, startedMinutesAgo: 10_398, completedMinutesAgo: 10_260 },
        verified(10_268, noneDenied(4), unitTests(526, 45), allCriteria(3), securityScan),
      ),
    ],
    evidence: {
      commit: '236d31def0b9d2993134b65ab3adf32b1cc8fa65',
      criteria: proofs(
        'export.spec.ts: no name, email or number in 1,000 rows',
        'export.spec.ts: 871 pseudonyms in both exports',
        'export.spec.ts: key absent from log output',
      ),
      changes: changed({ additions: 132, deletions: 27 }, [
        'jobs/analytics-export/export.ts',
        'jobs/analytics-export/pseudonym.ts',
        'jobs/analytics-export/pseudonym.test.ts',
        'jobs/analytics-export/README.md',
      ]),
      demonstration: 'Dry run over 1,000 orders: no "@" in the file, 871 pseudonyms.',
    },
    pullRequest: pull(58),
  },
  {
    id: 'data-partition-alert',
    storyKey: 'DATA-3',
    createdMinutesAgo: 8_600,
    attempts: [
      succeeded(
        { costCents: 219, startedMinutesAgo: 8_598, completedMinutesAgo: 8_480 },
        verified(8_487, typeCheck, unitTests(538, 45), allCriteria(3)),
      ),
    ],
    evidence: {
      commit: '0bdf6593d1b61b4b171b2f3a9f889eeaf77ee09a',
      criteria: proofs(
        'partition-check.spec.ts: one alert, Moss, 0 of 18,320 rows',
        'partition-check.spec.ts: closed depot raises none',
        'partition-check.spec.ts: resolved after the complete load',
      ),
      changes: changed({ additions: 147, deletions: 3 }, [
        'jobs/nightly-load/load.ts',
        'jobs/nightly-load/partition-check.ts',
        'jobs/nightly-load/partition-check.test.ts',
        'alerts/rules.json',
      ]),
      demonstration: 'Fixture without Moss: one alert; complete fixture: alert resolved.',
    },
    pullRequest: pull(64),
  },
  {
    id: 'data-idempotent-events',
    storyKey: 'DATA-4',
    createdMinutesAgo: 5_900,
    attempts: [
      succeeded(
        { costCents: 633, startedMinutesAgo: 5_898, completedMinutesAgo: 5_700 },
        verified(
          5_710,
          typeCheck,
          unitTests(559, 48),
          allCriteria(3),
          gate('benchmark', 'passed', '18,900 events/s, base 19,700 (-4.1%)'),
        ),
      ),
    ],
    evidence: {
      commit: '4496e0ed7afceaa86dc3f3464849a845d1f7c3a0',
      criteria: proofs(
        'replay.spec.ts: equal checksums after two replays',
        'consumer.test.ts: late event applied in its place',
        'bench:consumer: -4.1%',
      ),
      changes: changed({ additions: 187, deletions: 96 }, [
        'consumer/apply.ts',
        'consumer/apply.test.ts',
        'consumer/position.ts',
        'migrations/0142_parcel_position.sql',
        'bench/consumer.ts',
      ]),
      demonstration: 'Fixture day replayed twice with equal checksums; throughput 4.1% below the base.',
    },
    pullRequest: pull(70),
  },
  {
    id: 'data-erasure',
    storyKey: 'DATA-5',
    createdMinutesAgo: 1_350,
    attempts: [attempt('waiting', 'implementing', { costCents: 447, startedMinutesAgo: 1_348 })],
  },
  {
    id: 'data-recipient-index',
    storyKey: 'DATA-6',
    createdMinutesAgo: 2_500,
    attempts: [
      failed(
        'verifying',
        'gate',
        'migration rehearsal: create index held an exclusive lock on parcel_events for 94 s (limit 1 s)',
        { costCents: 462, startedMinutesAgo: 2_498, completedMinutesAgo: 2_050 },
        verified(
          2_056,
          unitTests(581, 52),
          gate('migration rehearsal', 'failed', 'longest lock 94 s, limit 1 s'),
        ),
      ),
      attempt(
        'waiting',
        'handing_off',
        { costCents: 318, startedMinutesAgo: 2_046 },
        verified(
          1_712,
          specUnchanged(3),
          unitTests(583, 52),
          allCriteria(3),
          gate(
            'migration rehearsal',
            'passed',
            'full copy, 410 million rows, 3 h 12 min, longest lock 140 ms',
          ),
        ),
      ),
    ],
    evidence: {
      commit: '579f09222a2bed27a584d21b54fa8973381f412a',
      criteria: proofs(
        'lookup.spec.ts on the full copy: 37 events in 310 ms',
        'backfill.spec.ts: stopped at 40%, continued, 0 duplicates',
        'consumer.spec.ts: in the table after 180 ms',
      ),
      changes: changed({ additions: 796, deletions: 27 }, [
        'migrations/0151_recipient_lookup.sql',
        'migrations/0152_recipient_lookup_index.sql',
        'consumer/apply.ts',
        'consumer/lookup.ts',
        'consumer/lookup.test.ts',
        'jobs/backfill/recipient-lookup.ts',
        'jobs/backfill/recipient-lookup.test.ts',
        'tools/inventory/find.ts',
        'docs/backfill.md',
      ]),
      demonstration: 'Backfill stopped at 40% and continued; r-10442 found in 310 ms with 37 events.',
    },
    diff: { text: diff('recipient-index'), findings: [] },
    pullRequest: pull(81),
  },
  {
    id: 'data-erasure-proof',
    storyKey: 'DATA-7',
    createdMinutesAgo: 640,
    attempts: [
      attempt(
        'waiting',
        'verifying',
        { costCents: 356, startedMinutesAgo: 638 },
        verified(
          474,
          gate(
            'diff guard',
            'failed',
            '1 of 2 acceptance files changed: .kanman/acceptance/data-7/proof.spec.ts',
          ),
          typeCheck,
          unitTests(577, 50),
          gate('acceptance', 'failed', '2 of 3 criteria with the approved spec'),
        ),
      ),
    ],
    evidence: {
      commit: '0a4f9fa423350b233931da53f50a0be52d057e0b',
      criteria: proofs(
        'proof.spec.ts: one proof with 6 tables and counts',
        ['failed', 'approved proof.spec.ts: email found in proof.details.requestedBy'],
        'role.spec.ts: delete as erasure_job is denied',
      ),
      changes: changed({ additions: 128, deletions: 5 }, [
        '.kanman/acceptance/data-7/proof.spec.ts',
        'jobs/erasure/erase.ts',
        'jobs/erasure/proof.ts',
        'jobs/erasure/proof.test.ts',
        'migrations/0154_erasure_proof.sql',
        'docs/erasure.md',
      ]),
      demonstration:
        'Proof written with 6 tables; a search for the email found one hit in details.requestedBy.',
    },
    diff: {
      text: diff('erasure-proof'),
      findings: [
        'The acceptance spec was changed: .kanman/acceptance/data-7/proof.spec.ts, 1 assertion is weaker.',
      ],
    },
  },
  {
    id: 'data-warehouse-client',
    storyKey: 'DATA-8',
    createdMinutesAgo: 12_400,
    attempts: [
      failed('planning', 'dependency', 'The question about rounding was not answered within 7 days.', {
        costCents: 92,
        startedMinutesAgo: 12_398,
        completedMinutesAgo: 2_250,
      }),
    ],
  },
  {
    id: 'data-search-index',
    storyKey: 'DATA-10',
    createdMinutesAgo: 3_900,
    attempts: [
      failed(
        'implementing',
        'transient',
        'Package registry answered 502 for search-client; npm ci failed after 3 tries.',
        { costCents: 58, startedMinutesAgo: 3_898, completedMinutesAgo: 3_850 },
      ),
      failed(
        'implementing',
        'transient',
        'Package registry answered 502 for search-client; npm ci failed after 3 tries.',
        { costCents: 41, startedMinutesAgo: 3_845, completedMinutesAgo: 3_790 },
      ),
      failed(
        'implementing',
        'transient',
        'Runner build-02: no space left on device while unpacking node_modules (97% used).',
        { costCents: 47, startedMinutesAgo: 3_780, completedMinutesAgo: 3_720 },
      ),
    ],
  },
  {
    id: 'data-backfill',
    storyKey: 'DATA-11',
    createdMinutesAgo: 75,
    attempts: [attempt('running', 'implementing', { costCents: 163, startedMinutesAgo: 73 })],
  },
  {
    id: 'data-invoices',
    storyKey: 'DATA-12',
    createdMinutesAgo: 7_000,
    attempts: [
      failed(
        'implementing',
        'gate',
        'The acceptance spec could not be made to fail for the right reason: there is no sample file of the new layout.',
        { costCents: 157, startedMinutesAgo: 6_998, completedMinutesAgo: 6_700 },
      ),
    ],
  },
]
