import type { DemoRun } from '../../script.ts'
import { gate } from '../../shorthand.ts'

const pull = (number: number) => ({
  url: `https://git.example.com/halden/route-planner/pull/${number}`,
  number,
})

const hoursGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '611 passed in 24 s'),
  gate('acceptance', 'passed', '2 of 2 criteria'),
]

const volumeGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '640 passed in 26 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('replay', 'passed', '90 days, tours +1.3 %'),
]

const explainGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '662 passed in 26 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('replay', 'passed', '90 days, planning time +1.1 %'),
]

const sickGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '689 passed in 28 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('replay', 'passed', '90 days, no difference'),
]

const windowGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '704 passed in 28 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('replay', 'passed', '90 days, 0 stops outside a window'),
]

const savingsGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '731 passed in 31 s'),
  gate('replay', 'failed', '95th percentile 58.2 s, limit 45 s (depot Moss 71.4 s)'),
  gate('acceptance', 'failed', '2 of 3 criteria'),
]

const matrixGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '726 passed in 29 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('replay', 'passed', '90 days, no difference, 28 % faster'),
]

const latencyGates = [
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '722 passed in 29 s'),
  gate('acceptance', 'passed', '2 of 2 criteria'),
  gate('replay', 'skipped', 'no planner code changed'),
]

export const runs: DemoRun[] = [
  {
    id: 'route-opening-hours',
    storyKey: 'ROUTE-1',
    budgetCents: 1_000,
    createdMinutesAgo: 12_600,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 240,
        verification: { result: 'passed', gates: hoursGates, verifiedMinutesAgo: 12_526 },
        startedMinutesAgo: 12_598,
        completedMinutesAgo: 12_520,
      },
    ],
    evidence: {
      commit: '16be3388e7f14697f0603577aa6c55e0d19d3572',
      gates: hoursGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'depots.spec.ts: closing day of Moss has no tours' },
        { id: 'ac-2', result: 'passed', proof: 'depots.spec.ts: stub stopped, last hours used, one warning' },
      ],
      changes: {
        files: 4,
        additions: 121,
        deletions: 66,
        paths: [
          'planner/depots.ts',
          'planner/depots.test.ts',
          'clients/depot-service.ts',
          'clients/depot-service.test.ts',
        ],
      },
      demonstration: 'Closing day planned without tours; second plan with the stub stopped is identical.',
      collectedMinutesAgo: 12_526,
    },
    pullRequest: pull(91),
  },
  {
    id: 'route-load-volume',
    storyKey: 'ROUTE-2',
    budgetCents: 2_000,
    createdMinutesAgo: 11_400,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 1_486,
        verification: { result: 'passed', gates: volumeGates, verifiedMinutesAgo: 11_018 },
        startedMinutesAgo: 11_398,
        completedMinutesAgo: 11_010,
      },
    ],
    evidence: {
      commit: '186e5761b1524bf0b0947c5eba021711473613ef',
      gates: volumeGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'replay: largest load 91.8 %' },
        {
          id: 'ac-2',
          result: 'passed',
          proof: 'volume.spec.ts: unmeasured parcels use the median of the class',
        },
        { id: 'ac-3', result: 'passed', proof: 'replay: 4,118 tours, base 4,065 (+1.3 %)' },
      ],
      changes: {
        files: 7,
        additions: 342,
        deletions: 58,
        paths: [
          'planner/capacity.ts',
          'planner/capacity.test.ts',
          'planner/volume.ts',
          'planner/volume.test.ts',
          'planner/insert.ts',
          'model/vehicle.ts',
          'model/parcel.ts',
        ],
      },
      demonstration: 'Replay over 90 days: largest load 91.8 %, tours +1.3 %.',
      collectedMinutesAgo: 11_018,
    },
    pullRequest: pull(96),
  },
  {
    id: 'route-explain',
    storyKey: 'ROUTE-3',
    budgetCents: 2_000,
    createdMinutesAgo: 9_300,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 517,
        verification: { result: 'passed', gates: explainGates, verifiedMinutesAgo: 9_197 },
        startedMinutesAgo: 9_298,
        completedMinutesAgo: 9_190,
      },
    ],
    evidence: {
      commit: '6c2e0ef82b15fc467fe93e81dd58a0c1f9a51bb5',
      gates: explainGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'reason.spec.ts: four fixtures, four reasons' },
        { id: 'ac-2', result: 'passed', proof: 'tour-list.spec.ts: "moved: capacity (12.4 of 12.0 m³)"' },
        { id: 'ac-3', result: 'passed', proof: 'replay: planning time +1.1 %' },
      ],
      changes: {
        files: 6,
        additions: 208,
        deletions: 31,
        paths: [
          'planner/insert.ts',
          'planner/reason.ts',
          'planner/reason.test.ts',
          'model/stop.ts',
          'web/tour-list.tsx',
          'web/tour-list.test.tsx',
        ],
      },
      demonstration: 'Fixture overfull-van: HP-0533 shows the reason with figures.',
      collectedMinutesAgo: 9_197,
    },
    pullRequest: pull(104),
  },
  {
    id: 'route-sick-driver',
    storyKey: 'ROUTE-4',
    budgetCents: 2_000,
    createdMinutesAgo: 7_200,
    attempts: [
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'codex',
        costCents: 133,
        failureClass: 'transient',
        error: 'Model endpoint answered 529 (overloaded) for 10 minutes; no agent event since.',
        startedMinutesAgo: 7_198,
        completedMinutesAgo: 7_171,
      },
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'codex',
        costCents: 694,
        verification: { result: 'passed', gates: sickGates, verifiedMinutesAgo: 7_128 },
        startedMinutesAgo: 7_169,
        completedMinutesAgo: 7_058,
      },
    ],
    evidence: {
      commit: 'd9fb33fdebd0bd6ba93e3c411a056d753e37876d',
      gates: sickGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'reassign.spec.ts: proposal after 21 s' },
        { id: 'ac-2', result: 'passed', proof: 'reassign.spec.ts: no broken window in 31 depots' },
        { id: 'ac-3', result: 'passed', proof: 'reassign.spec.ts: two stops listed, reason working time' },
      ],
      changes: {
        files: 6,
        additions: 377,
        deletions: 19,
        paths: [
          'planner/reassign.ts',
          'planner/reassign.test.ts',
          'api/reassign.ts',
          'api/reassign.test.ts',
          'web/reassign.tsx',
          'web/reassign.test.tsx',
        ],
      },
      demonstration: 'Driver 12 reported sick: proposal after 21 s, two stops not assignable.',
      collectedMinutesAgo: 7_128,
    },
    pullRequest: pull(113),
  },
  {
    id: 'route-time-windows',
    storyKey: 'ROUTE-5',
    budgetCents: 2_000,
    createdMinutesAgo: 5_300,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'opencode',
        costCents: 588,
        verification: { result: 'passed', gates: windowGates, verifiedMinutesAgo: 5_050 },
        startedMinutesAgo: 5_298,
        completedMinutesAgo: 5_040,
      },
    ],
    evidence: {
      commit: '6dd9f9b9f5f9707d5bbd933e4a241d65099eec01',
      gates: windowGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'windows.spec.ts: both office lockers before 18:00' },
        { id: 'ac-2', result: 'passed', proof: 'windows.spec.ts: impossible plan names three stops' },
        { id: 'ac-3', result: 'passed', proof: 'replay: 0 of 611,904 stops outside a window' },
      ],
      changes: {
        files: 5,
        additions: 196,
        deletions: 47,
        paths: [
          'planner/windows.ts',
          'planner/windows.test.ts',
          'planner/insert.ts',
          'model/locker.ts',
          'clients/locker-service.ts',
        ],
      },
      demonstration: 'Fixture office-park-evening planned within the windows; replay column is 0.',
      collectedMinutesAgo: 5_050,
    },
    pullRequest: pull(121),
  },
  {
    id: 'route-locker-full',
    storyKey: 'ROUTE-6',
    budgetCents: 2_000,
    createdMinutesAgo: 820,
    attempts: [
      {
        status: 'waiting',
        stage: 'implementing',
        executor: 'opencode',
        costCents: 2_004,
        startedMinutesAgo: 818,
      },
    ],
  },
  {
    id: 'route-traffic',
    storyKey: 'ROUTE-7',
    budgetCents: 2_000,
    createdMinutesAgo: 3_700,
    attempts: [
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'opencode',
        costCents: 211,
        failureClass: 'dependency',
        error:
          'Sandbox of the map provider answers 503 on every call (maintenance announced, end not stated).',
        startedMinutesAgo: 3_698,
        completedMinutesAgo: 3_660,
      },
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'opencode',
        costCents: 64,
        failureClass: 'dependency',
        error: 'Sandbox of the map provider still answers 503; the acceptance spec cannot be run without it.',
        startedMinutesAgo: 3_600,
        completedMinutesAgo: 3_555,
        retried: { by: 'kenji.morita@example.com', minutesAgo: 3_601 },
      },
    ],
  },
  {
    id: 'route-savings',
    storyKey: 'ROUTE-8',
    budgetCents: 2_000,
    createdMinutesAgo: 1_500,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'opencode',
        costCents: 486,
        failureClass: 'gate',
        error: 'replay: 95th percentile 96.0 s, limit 45 s',
        verification: {
          result: 'failed',
          gates: [
            gate('unit tests', 'passed', '728 passed in 31 s'),
            gate('replay', 'failed', '95th percentile 96.0 s, limit 45 s'),
          ],
          verifiedMinutesAgo: 1_384,
        },
        startedMinutesAgo: 1_498,
        completedMinutesAgo: 1_380,
      },
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'opencode',
        costCents: 391,
        failureClass: 'gate',
        error: 'replay: 95th percentile 63.7 s, limit 45 s',
        verification: {
          result: 'failed',
          gates: [
            gate('unit tests', 'passed', '730 passed in 31 s'),
            gate('replay', 'failed', '95th percentile 63.7 s, limit 45 s'),
          ],
          verifiedMinutesAgo: 1_254,
        },
        startedMinutesAgo: 1_378,
        completedMinutesAgo: 1_250,
      },
      {
        status: 'waiting',
        stage: 'verifying',
        executor: 'opencode',
        costCents: 352,
        verification: { result: 'failed', gates: savingsGates, verifiedMinutesAgo: 1_124 },
        startedMinutesAgo: 1_248,
      },
    ],
    evidence: {
      commit: '407ec6a1b044da05ca4ed81004c1dec8ee162646',
      gates: savingsGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'replay: start tours 5.7 % shorter' },
        { id: 'ac-2', result: 'passed', proof: 'replay: worst final tour +0.4 %' },
        { id: 'ac-3', result: 'failed', proof: 'replay: 95th percentile 58.2 s' },
      ],
      changes: {
        files: 4,
        additions: 284,
        deletions: 112,
        paths: [
          'planner/start/savings.ts',
          'planner/start/savings.test.ts',
          'planner/start/index.ts',
          'planner/plan.ts',
        ],
      },
      demonstration: 'Replay over 90 days: start tours 5.7 % shorter, 95th percentile 58.2 s (limit 45 s).',
      collectedMinutesAgo: 1_124,
    },
  },
  {
    id: 'route-matrix-cache',
    storyKey: 'ROUTE-9',
    budgetCents: 2_000,
    createdMinutesAgo: 480,
    attempts: [
      {
        status: 'waiting',
        stage: 'handing_off',
        executor: 'opencode',
        costCents: 329,
        verification: { result: 'passed', gates: matrixGates, verifiedMinutesAgo: 346 },
        startedMinutesAgo: 478,
      },
    ],
    evidence: {
      commit: 'ffa9204c1c9eeb488c6daa9b7fcd3ce2818f26ff',
      gates: matrixGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'matrix-cache.spec.ts: second run logs matrix: cached' },
        { id: 'ac-2', result: 'passed', proof: 'matrix-cache.spec.ts: new locker invalidates the depot' },
        { id: 'ac-3', result: 'passed', proof: 'matrix-cache.test.ts: 49th matrix removes the oldest' },
      ],
      changes: {
        files: 5,
        additions: 158,
        deletions: 24,
        paths: [
          'planner/matrix/cache.ts',
          'planner/matrix/cache.test.ts',
          'planner/matrix/index.ts',
          'planner/plan.ts',
          'model/locker.ts',
        ],
      },
      demonstration: 'Depot Moss planned twice within an hour: the second run used the cached matrix.',
      collectedMinutesAgo: 346,
    },
    pullRequest: pull(134),
  },
  {
    id: 'route-latency',
    storyKey: 'ROUTE-10',
    budgetCents: 2_000,
    createdMinutesAgo: 160,
    attempts: [
      {
        status: 'running',
        stage: 'handing_off',
        executor: 'opencode',
        costCents: 124,
        verification: { result: 'passed', gates: latencyGates, verifiedMinutesAgo: 26 },
        startedMinutesAgo: 158,
      },
    ],
    evidence: {
      commit: '6bff254199c973226b722641b0e812e92776e205',
      gates: latencyGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'metrics.spec.ts: two depots, two label values' },
        { id: 'ac-2', result: 'passed', proof: 'dashboard.test.ts: panel groups by depot' },
      ],
      changes: {
        files: 4,
        additions: 71,
        deletions: 6,
        paths: [
          'metrics/planner.ts',
          'metrics/planner.test.ts',
          'dashboards/planner.json',
          'dashboards/dashboard.test.ts',
        ],
      },
      demonstration: 'Two depots planned; /metrics shows both labels and the panel shows both lines.',
      collectedMinutesAgo: 26,
    },
    pullRequest: pull(136),
  },
  {
    id: 'route-pin-stop',
    storyKey: 'ROUTE-11',
    budgetCents: 2_000,
    createdMinutesAgo: 130,
    attempts: [
      {
        status: 'failed',
        stage: 'planning',
        executor: 'opencode',
        costCents: 38,
        failureClass: 'transient',
        error: 'git fetch: early EOF after 41 MB; the connection to git.example.com was reset.',
        startedMinutesAgo: 128,
        completedMinutesAgo: 92,
      },
      {
        status: 'running',
        stage: 'implementing',
        executor: 'opencode',
        costCents: 217,
        startedMinutesAgo: 88,
      },
    ],
  },
  {
    id: 'route-simulate',
    storyKey: 'ROUTE-12',
    budgetCents: 2_000,
    createdMinutesAgo: 4_600,
    attempts: [
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'opencode',
        costCents: 2_010,
        failureClass: 'budget',
        error: 'Run budget of 20.00 euro reached; abandoned by Kenji Morita.',
        startedMinutesAgo: 4_598,
        completedMinutesAgo: 4_100,
      },
    ],
  },
]
