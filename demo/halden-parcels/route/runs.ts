import type { DemoRun } from '../../script.ts'
import { allCriteria, gate, typeCheck, unitTests } from '../../shorthand/gates.ts'
import { attempt, changed, failed, proofs, pullsOf, succeeded, verified } from '../../shorthand/run.ts'

const pull = pullsOf('route-planner')

export const runs: DemoRun[] = [
  {
    id: 'route-opening-hours',
    storyKey: 'ROUTE-1',
    createdMinutesAgo: 12_600,
    attempts: [
      succeeded(
        { costCents: 240, startedMinutesAgo: 12_598, completedMinutesAgo: 12_520 },
        verified(12_526, typeCheck, unitTests(611, 24), allCriteria(2)),
      ),
    ],
    evidence: {
      commit: '16be3388e7f14697f0603577aa6c55e0d19d3572',
      criteria: proofs(
        'depots.spec.ts: closing day of Moss has no tours',
        'depots.spec.ts: stub stopped, last hours used, one warning',
      ),
      changes: changed({ additions: 121, deletions: 66 }, [
        'planner/depots.ts',
        'planner/depots.test.ts',
        'clients/depot-service.ts',
        'clients/depot-service.test.ts',
      ]),
      demonstration: 'Closing day planned without tours; second plan with the stub stopped is identical.',
    },
    pullRequest: pull(91),
  },
  {
    id: 'route-load-volume',
    storyKey: 'ROUTE-2',
    budgetCents: 2_000,
    createdMinutesAgo: 11_400,
    attempts: [
      succeeded(
        { costCents: 1_486, startedMinutesAgo: 11_398, completedMinutesAgo: 11_010 },
        verified(
          11_018,
          typeCheck,
          unitTests(640, 26),
          allCriteria(3),
          gate('replay', 'passed', '90 days, tours +1.3%'),
        ),
      ),
    ],
    evidence: {
      commit: '186e5761b1524bf0b0947c5eba021711473613ef',
      criteria: proofs(
        'replay: largest load 91.8%',
        'volume.spec.ts: unmeasured parcels use the median of the class',
        'replay: 4,118 tours, base 4,065 (+1.3%)',
      ),
      changes: changed({ additions: 342, deletions: 58 }, [
        'planner/capacity.ts',
        'planner/capacity.test.ts',
        'planner/volume.ts',
        'planner/volume.test.ts',
        'planner/insert.ts',
        'model/vehicle.ts',
        'model/parcel.ts',
      ]),
      demonstration: 'Replay over 90 days: largest load 91.8%, tours +1.3%.',
    },
    pullRequest: pull(96),
  },
  {
    id: 'route-explain',
    storyKey: 'ROUTE-3',
    createdMinutesAgo: 9_300,
    attempts: [
      succeeded(
        { costCents: 517, startedMinutesAgo: 9_298, completedMinutesAgo: 9_190 },
        verified(
          9_197,
          typeCheck,
          unitTests(662, 26),
          allCriteria(3),
          gate('replay', 'passed', '90 days, planning time +1.1%'),
        ),
      ),
    ],
    evidence: {
      commit: '6c2e0ef82b15fc467fe93e81dd58a0c1f9a51bb5',
      criteria: proofs(
        'reason.spec.ts: four fixtures, four reasons',
        'tour-list.spec.ts: "moved: capacity (12.4 of 12.0 m³)"',
        'replay: planning time +1.1%',
      ),
      changes: changed({ additions: 208, deletions: 31 }, [
        'planner/insert.ts',
        'planner/reason.ts',
        'planner/reason.test.ts',
        'model/stop.ts',
        'web/tour-list.tsx',
        'web/tour-list.test.tsx',
      ]),
      demonstration: 'Fixture overfull-van: HP-0533 shows the reason with figures.',
    },
    pullRequest: pull(104),
  },
  {
    id: 'route-sick-driver',
    storyKey: 'ROUTE-4',
    createdMinutesAgo: 7_200,
    attempts: [
      failed(
        'implementing',
        'transient',
        'Model endpoint answered 529 (overloaded) for 10 minutes; no agent event since.',
        { costCents: 133, startedMinutesAgo: 7_198, completedMinutesAgo: 7_171 },
      ),
      succeeded(
        { costCents: 694, startedMinutesAgo: 7_169, completedMinutesAgo: 7_058 },
        verified(
          7_128,
          typeCheck,
          unitTests(689, 28),
          allCriteria(3),
          gate('replay', 'passed', '90 days, no difference'),
        ),
      ),
    ],
    evidence: {
      commit: 'd9fb33fdebd0bd6ba93e3c411a056d753e37876d',
      criteria: proofs(
        'reassign.spec.ts: proposal after 21 s',
        'reassign.spec.ts: no broken window in 31 depots',
        'reassign.spec.ts: two stops listed, reason working time',
      ),
      changes: changed({ additions: 377, deletions: 19 }, [
        'planner/reassign.ts',
        'planner/reassign.test.ts',
        'api/reassign.ts',
        'api/reassign.test.ts',
        'web/reassign.tsx',
        'web/reassign.test.tsx',
      ]),
      demonstration: 'Driver 12 reported sick: proposal after 21 s, two stops not assignable.',
    },
    pullRequest: pull(113),
  },
  {
    id: 'route-time-windows',
    storyKey: 'ROUTE-5',
    createdMinutesAgo: 5_300,
    attempts: [
      succeeded(
        { costCents: 588, startedMinutesAgo: 5_298, completedMinutesAgo: 5_040 },
        verified(
          5_050,
          typeCheck,
          unitTests(704, 28),
          allCriteria(3),
          gate('replay', 'passed', '90 days, 0 stops outside a window'),
        ),
      ),
    ],
    evidence: {
      commit: '6dd9f9b9f5f9707d5bbd933e4a241d65099eec01',
      criteria: proofs(
        'windows.spec.ts: both office lockers before 18:00',
        'windows.spec.ts: impossible plan names three stops',
        'replay: 0 of 611,904 stops outside a window',
      ),
      changes: changed({ additions: 196, deletions: 47 }, [
        'planner/windows.ts',
        'planner/windows.test.ts',
        'planner/insert.ts',
        'model/locker.ts',
        'clients/locker-service.ts',
      ]),
      demonstration: 'Fixture office-park-evening planned within the windows; replay column is 0.',
    },
    pullRequest: pull(121),
  },
  {
    id: 'route-locker-full',
    storyKey: 'ROUTE-6',
    createdMinutesAgo: 820,
    attempts: [attempt('waiting', 'implementing', { costCents: 2_004, startedMinutesAgo: 818 })],
  },
  {
    id: 'route-traffic',
    storyKey: 'ROUTE-7',
    createdMinutesAgo: 3_700,
    attempts: [
      failed(
        'implementing',
        'dependency',
        'The map provider’s sandbox returns 503 on every call (maintenance announced, no end given).',
        { costCents: 211, startedMinutesAgo: 3_698, completedMinutesAgo: 3_660 },
      ),
      failed(
        'implementing',
        'dependency',
        'The map provider’s sandbox still returns 503, and the acceptance spec needs it.',
        {
          costCents: 64,
          startedMinutesAgo: 3_600,
          completedMinutesAgo: 3_555,
          retried: { by: 'kenji.morita@example.com', minutesAgo: 3_601 },
        },
      ),
    ],
  },
  {
    id: 'route-savings',
    storyKey: 'ROUTE-8',
    createdMinutesAgo: 1_500,
    attempts: [
      failed(
        'verifying',
        'gate',
        'replay: 95th percentile 96.0 s, limit 45 s',
        { costCents: 486, startedMinutesAgo: 1_498, completedMinutesAgo: 1_380 },
        verified(1_384, unitTests(728, 31), gate('replay', 'failed', '95th percentile 96.0 s, limit 45 s')),
      ),
      failed(
        'verifying',
        'gate',
        'replay: 95th percentile 63.7 s, limit 45 s',
        { costCents: 391, startedMinutesAgo: 1_378, completedMinutesAgo: 1_250 },
        verified(1_254, unitTests(730, 31), gate('replay', 'failed', '95th percentile 63.7 s, limit 45 s')),
      ),
      attempt(
        'waiting',
        'verifying',
        { costCents: 352, startedMinutesAgo: 1_248 },
        verified(
          1_124,
          typeCheck,
          unitTests(731, 31),
          gate('replay', 'failed', '95th percentile 58.2 s, limit 45 s (depot Moss 71.4 s)'),
          gate('acceptance', 'failed', '2 of 3 criteria'),
        ),
      ),
    ],
    evidence: {
      commit: '407ec6a1b044da05ca4ed81004c1dec8ee162646',
      criteria: proofs('replay: start tours 5.7% shorter', 'replay: worst final tour +0.4%', [
        'failed',
        'replay: 95th percentile 58.2 s',
      ]),
      changes: changed({ additions: 284, deletions: 112 }, [
        'planner/start/savings.ts',
        'planner/start/savings.test.ts',
        'planner/start/index.ts',
        'planner/plan.ts',
      ]),
      demonstration: 'Replay over 90 days: start tours 5.7% shorter, 95th percentile 58.2 s (limit 45 s).',
    },
  },
  {
    id: 'route-matrix-cache',
    storyKey: 'ROUTE-9',
    createdMinutesAgo: 480,
    attempts: [
      attempt(
        'waiting',
        'handing_off',
        { costCents: 329, startedMinutesAgo: 478 },
        verified(
          346,
          typeCheck,
          unitTests(726, 29),
          allCriteria(3),
          gate('replay', 'passed', '90 days, no difference, 28% faster'),
        ),
      ),
    ],
    evidence: {
      commit: 'ffa9204c1c9eeb488c6daa9b7fcd3ce2818f26ff',
      criteria: proofs(
        'matrix-cache.spec.ts: second run logs matrix: cached',
        'matrix-cache.spec.ts: new locker invalidates the depot',
        'matrix-cache.test.ts: 49th matrix removes the oldest',
      ),
      changes: changed({ additions: 158, deletions: 24 }, [
        'planner/matrix/cache.ts',
        'planner/matrix/cache.test.ts',
        'planner/matrix/index.ts',
        'planner/plan.ts',
        'model/locker.ts',
      ]),
      demonstration: 'Depot Moss planned twice within an hour: the second run used the cached matrix.',
    },
    pullRequest: pull(134),
  },
  {
    id: 'route-latency',
    storyKey: 'ROUTE-10',
    createdMinutesAgo: 160,
    attempts: [
      attempt(
        'running',
        'handing_off',
        { costCents: 124, startedMinutesAgo: 158 },
        verified(
          26,
          typeCheck,
          unitTests(722, 29),
          allCriteria(2),
          gate('replay', 'skipped', 'no planner code changed'),
        ),
      ),
    ],
    evidence: {
      commit: '6bff254199c973226b722641b0e812e92776e205',
      criteria: proofs(
        'metrics.spec.ts: two depots, two label values',
        'dashboard.test.ts: panel groups by depot',
      ),
      changes: changed({ additions: 71, deletions: 6 }, [
        'metrics/planner.ts',
        'metrics/planner.test.ts',
        'dashboards/planner.json',
        'dashboards/dashboard.test.ts',
      ]),
      demonstration: 'Two depots planned; /metrics shows both labels and the panel shows both lines.',
    },
    pullRequest: pull(136),
  },
  {
    id: 'route-pin-stop',
    storyKey: 'ROUTE-11',
    createdMinutesAgo: 130,
    attempts: [
      failed(
        'planning',
        'transient',
        'git fetch: early EOF after 41 MB; the connection to git.example.com was reset.',
        { costCents: 38, startedMinutesAgo: 128, completedMinutesAgo: 92 },
      ),
      attempt('running', 'implementing', { costCents: 217, startedMinutesAgo: 88 }),
    ],
  },
  {
    id: 'route-simulate',
    storyKey: 'ROUTE-12',
    createdMinutesAgo: 4_600,
    attempts: [
      failed('implementing', 'budget', 'Reached its €20 budget; ended by Tomasz Wróbel.', {
        costCents: 2_010,
        startedMinutesAgo: 4_598,
        completedMinutesAgo: 4_100,
      }),
    ],
  },
]
