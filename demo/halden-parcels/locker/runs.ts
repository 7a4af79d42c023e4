import type { DemoRun } from '../../script.ts'
import { allCriteria, gate, noneDenied, specUnchanged, unitTests } from '../../shorthand/gates.ts'
import { attempt, changed, failed, proofs, pullsOf, succeeded, verified } from '../../shorthand/run.ts'

const boardsBuilt = gate('build', 'passed', 'boards B, C and D, no warnings')
const pull = pullsOf('locker-firmware')

export const runs: DemoRun[] = [
  {
    id: 'lock-unsigned',
    storyKey: 'LOCK-2',
    createdMinutesAgo: 12_900,
    attempts: [
      succeeded(
        { costCents: 516, startedMinutesAgo: 12_898, completedMinutesAgo: 12_498 },
        verified(12_622, noneDenied(6), boardsBuilt, unitTests(388, 12), allCriteria(3, 'on bench-1')),
      ),
    ],
    evidence: {
      commit: 'd04ab3005440698c83998e1705bb7a7af3d2e242',
      criteria: proofs(
        'boot_verify_test: image without signature is refused',
        'bench-1: bad signature, previous image booted in 4.1 s',
        'bench-1: bootlog entry signature_missing version=2.12.9',
      ),
      changes: changed({ additions: 287, deletions: 41 }, [
        'boot/verify.c',
        'boot/verify.h',
        'boot/slots.c',
        'boot/log.c',
        'test/boot_verify_test.c',
        'docs/boot.md',
      ]),
      demonstration: 'Unsigned image flashed on bench-1: previous version booted, boot log names the reason.',
    },
    pullRequest: pull(188),
  },
  {
    id: 'lock-manifest',
    storyKey: 'LOCK-4',
    createdMinutesAgo: 11_900,
    attempts: [
      succeeded(
        { costCents: 462, startedMinutesAgo: 11_898, completedMinutesAgo: 11_206 },
        verified(11_312, noneDenied(5), boardsBuilt, unitTests(402, 12), allCriteria(3)),
      ),
    ],
    evidence: {
      commit: '5ba9682170905f4ec5a399fc47f5edbada514e28',
      criteria: proofs(
        'manifest_test: five fields present and correct',
        'fwctl verify: ok; after one changed byte: bad signature',
        'release_test: signer stopped, exit 3, nothing published',
      ),
      changes: changed({ additions: 214, deletions: 18 }, [
        'tools/fwctl/verify.go',
        'tools/manifest/manifest.go',
        'tools/manifest/manifest_test.go',
        'Makefile',
        'docs/release.md',
      ]),
      demonstration: 'Release 2.13.0-test built; the manifest verifies and the changed copy does not.',
    },
    pullRequest: pull(193),
  },
  {
    id: 'lock-door-log',
    storyKey: 'LOCK-5',
    createdMinutesAgo: 10_800,
    attempts: [
      succeeded(
        { costCents: 304, startedMinutesAgo: 10_798, completedMinutesAgo: 10_386 },
        verified(10_512, specUnchanged(2), boardsBuilt, unitTests(417, 13), allCriteria(3, 'on bench-1')),
      ),
    ],
    evidence: {
      commit: '7ba054769ba41cbb44f0753903870712d5f63adf',
      criteria: proofs(
        'door_test: four reasons produced by four fault injections',
        'bench-1: current=1.84A tries=3',
        'gateway_compat_test: firmware 2.9 is stored as unknown',
      ),
      changes: changed({ additions: 176, deletions: 33 }, [
        'src/door/open.c',
        'src/door/reason.h',
        'gateway/door_report.go',
        'gateway/door_report_test.go',
        'test/door_test.c',
      ]),
      demonstration: 'Door 7 blocked on bench-1: open_failed door=7 reason=motor_stalled tries=3.',
    },
    pullRequest: pull(199),
  },
  {
    id: 'lock-door-debounce',
    storyKey: 'LOCK-6',
    createdMinutesAgo: 6_400,
    attempts: [
      attempt('stopped', 'planning', {
        costCents: 61,
        startedMinutesAgo: 6_398,
        completedMinutesAgo: 6_200,
        stoppedBy: 'kenji.morita@example.com',
        error: 'Stopped by Kenji Morita: the data sheet of sensor revision C changes the filter time.',
      }),
    ],
  },
  {
    id: 'lock-rings',
    storyKey: 'LOCK-7',
    createdMinutesAgo: 900,
    attempts: [attempt('waiting', 'planning', { costCents: 118, startedMinutesAgo: 898 })],
  },
  {
    id: 'lock-rollback',
    storyKey: 'LOCK-8',
    createdMinutesAgo: 7_900,
    attempts: [
      succeeded(
        { costCents: 438, startedMinutesAgo: 7_898, completedMinutesAgo: 7_476 },
        verified(7_612, specUnchanged(3), boardsBuilt, unitTests(431, 13), allCriteria(3, 'on bench-2')),
      ),
    ],
    evidence: {
      commit: 'a395d6cff31aeea03bdba261ad590acbc5fbb5ec',
      criteria: proofs(
        'bench-2: slots 2.13, 2.12, 2.11 present',
        'bench-2: rollback to 2.12 and to 2.11, one restart each',
        'slots_test: short flash removes the oldest, running image kept',
      ),
      changes: changed({ additions: 243, deletions: 87 }, [
        'boot/slots.c',
        'boot/slots.h',
        'src/update/install.c',
        'tools/fwctl/rollback.go',
        'test/slots_test.c',
        'docs/flash-layout.md',
      ]),
      demonstration: 'Rolled bench-2 back from 2.13 to 2.11; version reported after one restart.',
    },
    pullRequest: pull(214),
  },
  {
    id: 'lock-heartbeat',
    storyKey: 'LOCK-9',
    createdMinutesAgo: 9_900,
    attempts: [
      failed(
        'handing_off',
        'persistent',
        'Merged as #203 and reverted by #207: the gateway marks a station as lost after 45 s without a heartbeat; hardware-in-the-loop suite red on main (heartbeat_loss_test).',
        { costCents: 273, startedMinutesAgo: 9_898, completedMinutesAgo: 8_960 },
        verified(
          9_662,
          specUnchanged(2),
          boardsBuilt,
          unitTests(424, 13),
          allCriteria(3, 'on the simulator'),
          gate('hardware in the loop', 'skipped', 'runs nightly on main only'),
        ),
      ),
    ],
    evidence: {
      commit: 'b983b410e6f58de9b9d56191e28c2f2388dc10da',
      criteria: proofs(
        'heartbeat_test: 10 beats in 600 s, plus one per state change',
        'simulator: 2.6 MB per station and day',
        'simulator: 0 of 50 stations lost in ten minutes (gateway stub)',
      ),
      changes: changed({ additions: 64, deletions: 21 }, [
        'src/net/heartbeat.c',
        'src/config/defaults.h',
        'test/heartbeat_test.c',
      ]),
      demonstration: 'Simulator with 50 stations for ten minutes: none reported as lost.',
    },
    pullRequest: pull(203),
  },
  {
    id: 'lock-delta',
    storyKey: 'LOCK-10',
    createdMinutesAgo: 3_100,
    race: {
      agents: ['codex', 'claude_code'],
      first: {
        commit: 'c41f06d7b5e2984a7710f3ce2b9d6a05e8d3471c',
        criteria: proofs(
          'bench-1: delta and full update end with the same SHA-256',
          'delta_select_test: 2.11 receives the full image',
          'bench-2: 20 power cuts at random points, 20 boots of 2.13.0',
          'delta 2.13.0 to 2.14.0: 566 kB',
        ),
        changes: changed({ additions: 871, deletions: 94 }, [
          'src/update/delta.c',
          'src/update/delta.h',
          'src/update/blocks.c',
          'src/update/install.c',
          'src/update/journal.c',
          'tools/delta/make.go',
          'tools/delta/make_test.go',
          'gateway/firmware/select.go',
          'gateway/firmware/select_test.go',
          'test/delta_test.c',
          'test/delta_blocks_test.c',
          'test/delta_powercut_test.c',
          'docs/update.md',
        ]),
        demonstration:
          'bench-1 from 2.13.0 to 2.14.0 with 566 kB; power cut at 50%: 2.13.0 booted and continued.',
      },
      firstPullRequest: pull(227),
    },
    attempts: [
      attempt(
        'succeeded',
        'verifying',
        { costCents: 409, startedMinutesAgo: 3_098, completedMinutesAgo: 2_640 },
        verified(
          2_650,
          specUnchanged(4),
          boardsBuilt,
          unitTests(474, 15),
          allCriteria(4, 'on bench-1 and bench-2'),
          gate('flash wear', 'passed', '1.06 writes per block, limit 1.10'),
        ),
      ),
      attempt(
        'waiting',
        'handing_off',
        { costCents: 367, startedMinutesAgo: 2_638 },
        verified(
          1_032,
          specUnchanged(4),
          boardsBuilt,
          unitTests(468, 15),
          allCriteria(4, 'on bench-1 and bench-2'),
          gate('flash wear', 'passed', '1.02 writes per block, limit 1.10'),
        ),
      ),
    ],
    evidence: {
      commit: '5bffacefd697312bba82af983eadec108b08c3ce',
      criteria: proofs(
        'bench-1: delta and full update end with the same SHA-256',
        'delta_select_test: 2.11 receives the full image',
        'bench-2: 20 power cuts at random points, 20 boots of 2.13.0',
        'delta 2.13.0 to 2.14.0: 541 kB',
      ),
      changes: changed({ additions: 638, deletions: 52 }, [
        'src/update/delta.c',
        'src/update/delta.h',
        'src/update/install.c',
        'src/update/journal.c',
        'tools/delta/make.go',
        'tools/delta/make_test.go',
        'gateway/firmware/select.go',
        'gateway/firmware/select_test.go',
        'test/delta_test.c',
        'test/delta_powercut_test.c',
        'docs/update.md',
      ]),
      demonstration:
        'bench-1 from 2.13.0 to 2.14.0 with 541 kB; power cut at 50%: 2.13.0 booted and continued.',
      secondReview: {
        ...{ result: 'reviewed', agent: 'gemini', model: null, says: null },
        findings: [
          {
            ...{ severity: 'medium', file: 'src/update/journal.c', line: 118 },
            says: 'A journal whose checksum fails is treated like an empty one, so the update starts again from the beginning. The story asks for the delta to be refused and the full image to be requested.',
          },
          {
            ...{ severity: 'low', file: 'gateway/firmware/select.go', line: 41 },
            says: 'A station that reports no version gets the full image, but nothing is logged, so no one sees how often that happens.',
          },
        ],
      },
    },
    pullRequest: pull(226),
  },
  {
    id: 'lock-battery',
    storyKey: 'LOCK-11',
    createdMinutesAgo: 14,
    attempts: [attempt('running', 'planning', { costCents: 21, startedMinutesAgo: 13, executor: 'codex' })],
  },
  {
    id: 'lock-door-state',
    storyKey: 'LOCK-13',
    createdMinutesAgo: 620,
    attempts: [attempt('waiting', 'planning', { costCents: 87, startedMinutesAgo: 618 })],
  },
  {
    id: 'lock-secure-element',
    storyKey: 'LOCK-15',
    createdMinutesAgo: 4_700,
    attempts: [
      failed('planning', 'policy', 'Policy exception for boot/keys/provision.c refused by Joris van Dijk.', {
        costCents: 79,
        startedMinutesAgo: 4_698,
        completedMinutesAgo: 4_390,
      }),
    ],
  },
  {
    id: 'lock-watchdog',
    storyKey: 'LOCK-17',
    createdMinutesAgo: 4,
    attempts: [attempt('queued', 'planning', { costCents: 0, executor: 'codex' })],
  },
]
