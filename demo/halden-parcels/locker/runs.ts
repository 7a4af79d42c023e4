import type { DemoRun } from '../../script.ts'
import { gate } from '../../shorthand.ts'

const pull = (number: number) => ({
  url: `https://git.example.com/halden/locker-firmware/pull/${number}`,
  number,
})

const unsignedGates = [
  gate('denied paths', 'passed', '6 changed files, none denied'),
  gate('build', 'passed', 'boards B, C and D, no warnings'),
  gate('unit tests', 'passed', '388 passed in 12 s'),
  gate('acceptance', 'passed', '3 of 3 criteria on bench-1'),
]

const manifestGates = [
  gate('denied paths', 'passed', '5 changed files, none denied'),
  gate('build', 'passed', 'boards B, C and D, no warnings'),
  gate('unit tests', 'passed', '402 passed in 12 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
]

const doorLogGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (2 files)'),
  gate('build', 'passed', 'boards B, C and D, no warnings'),
  gate('unit tests', 'passed', '417 passed in 13 s'),
  gate('acceptance', 'passed', '3 of 3 criteria on bench-1'),
]

const rollbackGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (3 files)'),
  gate('build', 'passed', 'boards B, C and D, no warnings'),
  gate('unit tests', 'passed', '431 passed in 13 s'),
  gate('acceptance', 'passed', '3 of 3 criteria on bench-2'),
]

const heartbeatGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (2 files)'),
  gate('build', 'passed', 'boards B, C and D, no warnings'),
  gate('unit tests', 'passed', '424 passed in 13 s'),
  gate('acceptance', 'passed', '3 of 3 criteria on the simulator'),
  gate('hardware in the loop', 'skipped', 'runs nightly on main only'),
]

const deltaGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (4 files)'),
  gate('build', 'passed', 'boards B, C and D, no warnings'),
  gate('unit tests', 'passed', '468 passed in 15 s'),
  gate('acceptance', 'passed', '4 of 4 criteria on bench-1 and bench-2'),
  gate('flash wear', 'passed', '1.02 writes per block, limit 1.10'),
]

export const runs: DemoRun[] = [
  {
    id: 'lock-unsigned',
    storyKey: 'LOCK-2',
    budgetCents: 800,
    createdMinutesAgo: 12_900,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 516,
        verification: { result: 'passed', gates: unsignedGates, verifiedMinutesAgo: 12_622 },
        startedMinutesAgo: 12_898,
        completedMinutesAgo: 12_498,
      },
    ],
    evidence: {
      commit: 'd04ab3005440698c83998e1705bb7a7af3d2e242',
      gates: unsignedGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'boot_verify_test: image without signature is refused' },
        { id: 'ac-2', result: 'passed', proof: 'bench-1: bad signature, previous image booted in 4.1 s' },
        { id: 'ac-3', result: 'passed', proof: 'bench-1: bootlog entry signature_missing version=2.12.9' },
      ],
      changes: {
        files: 6,
        additions: 287,
        deletions: 41,
        paths: [
          'boot/verify.c',
          'boot/verify.h',
          'boot/slots.c',
          'boot/log.c',
          'test/boot_verify_test.c',
          'docs/boot.md',
        ],
      },
      demonstration: 'Unsigned image flashed on bench-1: previous version booted, boot log names the reason.',
      collectedMinutesAgo: 12_622,
    },
    pullRequest: pull(188),
  },
  {
    id: 'lock-manifest',
    storyKey: 'LOCK-4',
    budgetCents: 800,
    createdMinutesAgo: 11_900,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 462,
        verification: { result: 'passed', gates: manifestGates, verifiedMinutesAgo: 11_312 },
        startedMinutesAgo: 11_898,
        completedMinutesAgo: 11_206,
      },
    ],
    evidence: {
      commit: '5ba9682170905f4ec5a399fc47f5edbada514e28',
      gates: manifestGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'manifest_test: five fields present and correct' },
        { id: 'ac-2', result: 'passed', proof: 'fwctl verify: ok; after one changed byte: bad signature' },
        { id: 'ac-3', result: 'passed', proof: 'release_test: signer stopped, exit 3, nothing published' },
      ],
      changes: {
        files: 5,
        additions: 214,
        deletions: 18,
        paths: [
          'tools/fwctl/verify.go',
          'tools/manifest/manifest.go',
          'tools/manifest/manifest_test.go',
          'Makefile',
          'docs/release.md',
        ],
      },
      demonstration: 'Release 2.13.0-test built; the manifest verifies and the changed copy does not.',
      collectedMinutesAgo: 11_312,
    },
    pullRequest: pull(193),
  },
  {
    id: 'lock-door-log',
    storyKey: 'LOCK-5',
    budgetCents: 800,
    createdMinutesAgo: 10_800,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 304,
        verification: { result: 'passed', gates: doorLogGates, verifiedMinutesAgo: 10_512 },
        startedMinutesAgo: 10_798,
        completedMinutesAgo: 10_386,
      },
    ],
    evidence: {
      commit: '7ba054769ba41cbb44f0753903870712d5f63adf',
      gates: doorLogGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'door_test: four reasons produced by four fault injections' },
        { id: 'ac-2', result: 'passed', proof: 'bench-1: current=1.84A tries=3' },
        { id: 'ac-3', result: 'passed', proof: 'gateway_compat_test: firmware 2.9 is stored as unknown' },
      ],
      changes: {
        files: 5,
        additions: 176,
        deletions: 33,
        paths: [
          'src/door/open.c',
          'src/door/reason.h',
          'gateway/door_report.go',
          'gateway/door_report_test.go',
          'test/door_test.c',
        ],
      },
      demonstration: 'Door 7 blocked on bench-1: open_failed door=7 reason=motor_stalled tries=3.',
      collectedMinutesAgo: 10_512,
    },
    pullRequest: pull(199),
  },
  {
    id: 'lock-door-debounce',
    storyKey: 'LOCK-6',
    budgetCents: 800,
    createdMinutesAgo: 6_400,
    attempts: [
      {
        status: 'stopped',
        stage: 'planning',
        executor: 'codex',
        costCents: 61,
        error: 'Stopped by Kenji Morita: the data sheet of sensor revision C changes the filter time.',
        startedMinutesAgo: 6_398,
        completedMinutesAgo: 6_200,
        stoppedBy: 'kenji.morita@example.com',
      },
    ],
  },
  {
    id: 'lock-rings',
    storyKey: 'LOCK-7',
    budgetCents: 800,
    createdMinutesAgo: 900,
    attempts: [
      {
        status: 'waiting',
        stage: 'planning',
        executor: 'codex',
        costCents: 118,
        startedMinutesAgo: 898,
      },
    ],
  },
  {
    id: 'lock-rollback',
    storyKey: 'LOCK-8',
    budgetCents: 800,
    createdMinutesAgo: 7_900,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 438,
        verification: { result: 'passed', gates: rollbackGates, verifiedMinutesAgo: 7_612 },
        startedMinutesAgo: 7_898,
        completedMinutesAgo: 7_476,
      },
    ],
    evidence: {
      commit: 'a395d6cff31aeea03bdba261ad590acbc5fbb5ec',
      gates: rollbackGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'bench-2: slots 2.13, 2.12, 2.11 present' },
        { id: 'ac-2', result: 'passed', proof: 'bench-2: rollback to 2.12 and to 2.11, one restart each' },
        {
          id: 'ac-3',
          result: 'passed',
          proof: 'slots_test: short flash removes the oldest, running image kept',
        },
      ],
      changes: {
        files: 6,
        additions: 243,
        deletions: 87,
        paths: [
          'boot/slots.c',
          'boot/slots.h',
          'src/update/install.c',
          'tools/fwctl/rollback.go',
          'test/slots_test.c',
          'docs/flash-layout.md',
        ],
      },
      demonstration: 'Rolled bench-2 back from 2.13 to 2.11; version reported after one restart.',
      collectedMinutesAgo: 7_612,
    },
    pullRequest: pull(214),
  },
  {
    id: 'lock-heartbeat',
    storyKey: 'LOCK-9',
    budgetCents: 800,
    createdMinutesAgo: 9_900,
    attempts: [
      {
        status: 'failed',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 273,
        failureClass: 'persistent',
        error:
          'Merged as #203 and taken back by #207: the gateway marks a station as lost after 45 s without a heartbeat; hardware-in-the-loop suite red on main (heartbeat_loss_test).',
        verification: { result: 'passed', gates: heartbeatGates, verifiedMinutesAgo: 9_662 },
        startedMinutesAgo: 9_898,
        completedMinutesAgo: 8_960,
      },
    ],
    evidence: {
      commit: 'b983b410e6f58de9b9d56191e28c2f2388dc10da',
      gates: heartbeatGates,
      criteria: [
        {
          id: 'ac-1',
          result: 'passed',
          proof: 'heartbeat_test: 10 beats in 600 s, plus one per state change',
        },
        { id: 'ac-2', result: 'passed', proof: 'simulator: 2.6 MB per station and day' },
        {
          id: 'ac-3',
          result: 'passed',
          proof: 'simulator: 0 of 50 stations lost in ten minutes (gateway stub)',
        },
      ],
      changes: {
        files: 3,
        additions: 64,
        deletions: 21,
        paths: ['src/net/heartbeat.c', 'src/config/defaults.h', 'test/heartbeat_test.c'],
      },
      demonstration: 'Simulator with 50 stations for ten minutes: none reported as lost.',
      collectedMinutesAgo: 9_662,
    },
    pullRequest: pull(203),
  },
  {
    id: 'lock-delta',
    storyKey: 'LOCK-10',
    budgetCents: 800,
    createdMinutesAgo: 3_100,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'codex',
        costCents: 409,
        failureClass: 'transient',
        error: 'bench-1 and bench-2 not reachable: ssh: connect to host bench-1 port 22: No route to host',
        startedMinutesAgo: 3_098,
        completedMinutesAgo: 2_640,
      },
      {
        status: 'waiting',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 167,
        verification: { result: 'passed', gates: deltaGates, verifiedMinutesAgo: 1_032 },
        startedMinutesAgo: 1_290,
        retried: { by: 'leila.haddad@example.com', minutesAgo: 1_292 },
      },
    ],
    evidence: {
      commit: '5bffacefd697312bba82af983eadec108b08c3ce',
      gates: deltaGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'bench-1: delta and full update end with the same SHA-256' },
        { id: 'ac-2', result: 'passed', proof: 'delta_select_test: 2.11 receives the full image' },
        {
          id: 'ac-3',
          result: 'passed',
          proof: 'bench-2: 20 power cuts at random points, 20 boots of 2.13.0',
        },
        { id: 'ac-4', result: 'passed', proof: 'delta 2.13.0 to 2.14.0: 541 kB' },
      ],
      changes: {
        files: 11,
        additions: 638,
        deletions: 52,
        paths: [
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
        ],
      },
      demonstration:
        'bench-1 from 2.13.0 to 2.14.0 with 541 kB; power cut at 50 %: 2.13.0 booted and continued.',
      collectedMinutesAgo: 1_032,
    },
    pullRequest: pull(226),
  },
  {
    id: 'lock-battery',
    storyKey: 'LOCK-11',
    budgetCents: 800,
    createdMinutesAgo: 14,
    attempts: [
      {
        status: 'running',
        stage: 'planning',
        executor: 'codex',
        costCents: 21,
        startedMinutesAgo: 13,
      },
    ],
  },
  {
    id: 'lock-door-state',
    storyKey: 'LOCK-13',
    budgetCents: 800,
    createdMinutesAgo: 620,
    attempts: [
      {
        status: 'waiting',
        stage: 'planning',
        executor: 'codex',
        costCents: 87,
        startedMinutesAgo: 618,
      },
    ],
  },
  {
    id: 'lock-secure-element',
    storyKey: 'LOCK-15',
    budgetCents: 800,
    createdMinutesAgo: 4_700,
    attempts: [
      {
        status: 'failed',
        stage: 'planning',
        executor: 'codex',
        costCents: 79,
        failureClass: 'policy',
        error: 'Policy exception for boot/keys/provision.c refused by Joris van Dijk.',
        startedMinutesAgo: 4_698,
        completedMinutesAgo: 4_390,
      },
    ],
  },
  {
    id: 'lock-watchdog',
    storyKey: 'LOCK-17',
    budgetCents: 800,
    createdMinutesAgo: 4,
    attempts: [
      {
        status: 'queued',
        stage: 'planning',
        executor: 'codex',
        costCents: 0,
      },
    ],
  },
]
