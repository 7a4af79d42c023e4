import type { DemoRun } from '../../script.ts'
import { gate } from '../../shorthand.ts'

const pull = (number: number) => ({
  url: `https://git.example.com/halden/checkout-web/pull/${number}`,
  number,
})

const addressGates = [
  gate('denied paths', 'passed', '4 changed files, none denied'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,204 passed in 61 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
]

const voucherGates = [
  gate('denied paths', 'passed', '3 changed files, none denied'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,209 passed in 60 s'),
  gate('acceptance', 'passed', '2 of 2 criteria'),
]

const basketGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (3 files)'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,221 passed in 63 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('security scan', 'passed', 'no findings'),
]

const retryGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (2 files)'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,238 passed in 71 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('security scan', 'passed', 'no findings'),
]

const postcodeGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (2 files)'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,263 passed in 66 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
]

const splitGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (4 files)'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,301 passed in 74 s'),
  gate('acceptance', 'failed', '3 of 4 criteria; ac-3: first reservation still held after 5 s'),
]

const translationGates = [
  gate('type check', 'passed', 'no errors'),
  gate('bundle size', 'passed', '481 kB of 500 kB'),
  gate('unit tests', 'failed', '1,190 passed, 41 failed in src/i18n and src/checkout/render'),
  gate('acceptance', 'failed', '1 of 3 criteria'),
]

const idempotencyGates = [
  gate('diff guard', 'passed', 'acceptance spec unchanged (2 files)'),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', '1,247 passed in 69 s'),
  gate('acceptance', 'passed', '3 of 3 criteria'),
  gate('security scan', 'passed', 'no findings'),
]

export const runs: DemoRun[] = [
  {
    id: 'web-postcode-first',
    storyKey: 'WEB-11',
    budgetCents: 1_000,
    createdMinutesAgo: 5_120,
    attempts: [
      {
        status: 'failed',
        stage: 'planning',
        executor: 'claude_code',
        costCents: 58,
        failureClass: 'dependency',
        error:
          'The delivery-area service of the test environment answered 503 for 30 minutes; its schema could not be read.',
        startedMinutesAgo: 5_118,
        completedMinutesAgo: 5_081,
      },
    ],
  },
  {
    id: 'web-locker-address',
    storyKey: 'WEB-3',
    budgetCents: 1_000,
    createdMinutesAgo: 10_150,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 312,
        verification: { result: 'passed', gates: addressGates, verifiedMinutesAgo: 10_066 },
        startedMinutesAgo: 10_148,
        completedMinutesAgo: 10_061,
      },
    ],
    evidence: {
      commit: 'a84bba07931db925306a0799dc6ebd718b8c764d',
      gates: addressGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'locker-address.spec.ts: shows street, postcode and town' },
        { id: 'ac-2', result: 'passed', proof: 'locker-address.spec.ts: change link keeps the basket' },
        {
          id: 'ac-3',
          result: 'passed',
          proof: 'locker-address.spec.ts: station inside a shop shows its name',
        },
      ],
      changes: {
        files: 4,
        additions: 97,
        deletions: 12,
        paths: [
          'src/checkout/payment/LockerAddress.tsx',
          'src/checkout/payment/PaymentStep.tsx',
          'src/lockers/address.ts',
          'src/lockers/address.test.ts',
        ],
      },
      demonstration: 'HP-0417 shows "Dockside 4, 1772 Halden"; HP-0533 shows the name of the shop.',
      collectedMinutesAgo: 10_066,
    },
    pullRequest: pull(418),
  },
  {
    id: 'web-voucher',
    storyKey: 'WEB-5',
    budgetCents: 1_000,
    createdMinutesAgo: 9_400,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 188,
        verification: { result: 'passed', gates: voucherGates, verifiedMinutesAgo: 9_336 },
        startedMinutesAgo: 9_398,
        completedMinutesAgo: 9_330,
      },
    ],
    evidence: {
      commit: '1c0acb3dea13519a60a077bbd142880e8427abee',
      gates: voucherGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'voucher.spec.ts: names the expiry date in nine languages' },
        { id: 'ac-2', result: 'passed', proof: 'voucher.spec.ts: total unchanged after rejection' },
      ],
      changes: {
        files: 3,
        additions: 58,
        deletions: 9,
        paths: ['src/basket/voucher.ts', 'src/basket/voucher.test.ts', 'src/i18n/voucher.json'],
      },
      demonstration: 'HP-EXPIRED-01 shows the expiry date; the total stays at 12.40 euro.',
      collectedMinutesAgo: 9_336,
    },
    pullRequest: pull(421),
  },
  {
    id: 'web-session-basket',
    storyKey: 'WEB-8',
    budgetCents: 1_000,
    createdMinutesAgo: 8_700,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 344,
        failureClass: 'gate',
        error:
          'diff guard: .kanman/acceptance/web-8/basket.spec.ts differs from the approved spec (1 assertion removed)',
        verification: {
          result: 'failed',
          gates: [
            gate('diff guard', 'failed', '1 of 3 acceptance files changed'),
            gate('unit tests', 'passed', '1,219 passed in 62 s'),
          ],
          verifiedMinutesAgo: 8_604,
        },
        startedMinutesAgo: 8_697,
        completedMinutesAgo: 8_520,
      },
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 271,
        verification: { result: 'passed', gates: basketGates, verifiedMinutesAgo: 8_437 },
        startedMinutesAgo: 8_518,
        completedMinutesAgo: 8_431,
      },
    ],
    evidence: {
      commit: 'c12975fd55911ea2cbd390b656a4d2bad821df99',
      gates: basketGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'basket.spec.ts: basket survives session renewal' },
        { id: 'ac-2', result: 'passed', proof: 'basket.spec.ts: foreign basket id is answered with 404' },
        { id: 'ac-3', result: 'passed', proof: 'cleanup.test.ts: removes baskets older than 14 days' },
      ],
      changes: {
        files: 6,
        additions: 164,
        deletions: 71,
        paths: [
          'src/basket/cookie.ts',
          'src/basket/store.ts',
          'src/basket/store.test.ts',
          'src/jobs/cleanup.ts',
          'src/jobs/cleanup.test.ts',
          'src/session/renew.ts',
        ],
      },
      demonstration: 'Session expired by the development route; after reload all three items are present.',
      collectedMinutesAgo: 8_437,
    },
    pullRequest: pull(424),
  },
  {
    id: 'web-postcode',
    storyKey: 'WEB-11',
    budgetCents: 1_500,
    createdMinutesAgo: 2_300,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 402,
        verification: { result: 'passed', gates: postcodeGates, verifiedMinutesAgo: 2_190 },
        startedMinutesAgo: 2_298,
        completedMinutesAgo: 2_046,
      },
    ],
    evidence: {
      commit: '7d529975dcb6de0703b4ab7ed013e50181d960e9',
      gates: postcodeGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'postcode.spec.ts: message for 9990 before the next step' },
        {
          id: 'ac-2',
          result: 'passed',
          proof: 'postcode.spec.ts: area service stopped, field is valid after 500 ms',
        },
        { id: 'ac-3', result: 'passed', proof: 'orders.api.spec.ts: POST /orders answers 422 outside_area' },
      ],
      changes: {
        files: 7,
        additions: 231,
        deletions: 28,
        paths: [
          'src/checkout/address/PostcodeField.tsx',
          'src/checkout/address/PostcodeField.test.tsx',
          'src/area/client.ts',
          'src/area/client.test.ts',
          'src/orders/create.ts',
          'src/orders/create.test.ts',
          'src/i18n/address.json',
        ],
      },
      demonstration:
        '9990 is refused on blur; with the stub stopped 1772 passes; the direct request is answered with 422.',
      collectedMinutesAgo: 2_190,
    },
    pullRequest: pull(447),
  },
  {
    id: 'web-auth-retry',
    storyKey: 'WEB-12',
    budgetCents: 1_000,
    createdMinutesAgo: 7_600,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 298,
        failureClass: 'gate',
        error: 'acceptance: ac-2 failed: card_declined was retried (2 calls, expected 1)',
        verification: {
          result: 'failed',
          gates: [
            gate('unit tests', 'passed', '1,230 passed in 70 s'),
            gate('acceptance', 'failed', '2 of 3 criteria; ac-2: card_declined was retried'),
          ],
          verifiedMinutesAgo: 7_452,
        },
        startedMinutesAgo: 7_598,
        completedMinutesAgo: 7_450,
      },
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 321,
        failureClass: 'gate',
        error:
          'unit tests: payment-retry.spec.ts > waits 2 s before the retry: expected 2000 ms, got 2741 ms',
        verification: {
          result: 'failed',
          gates: [
            gate('unit tests', 'failed', '1,235 passed, 1 failed: payment-retry.spec.ts'),
            gate('acceptance', 'passed', '3 of 3 criteria'),
          ],
          verifiedMinutesAgo: 7_382,
        },
        startedMinutesAgo: 7_448,
        completedMinutesAgo: 7_310,
      },
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 291,
        verification: { result: 'passed', gates: retryGates, verifiedMinutesAgo: 7_224 },
        startedMinutesAgo: 7_308,
        completedMinutesAgo: 7_215,
      },
    ],
    evidence: {
      commit: '558c1530a493afbb8b64cb580fac27cd8995efeb',
      gates: retryGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'payment-retry.spec.ts: one retry after 2 s' },
        { id: 'ac-2', result: 'passed', proof: 'payment-retry.spec.ts: declines are not retried (4 codes)' },
        { id: 'ac-3', result: 'passed', proof: 'metrics.spec.ts: payment_auth_retries_total counts 1' },
      ],
      changes: {
        files: 5,
        additions: 148,
        deletions: 22,
        paths: [
          'src/payment/authorise.ts',
          'src/payment/retry.ts',
          'src/payment/payment-retry.spec.ts',
          'src/payment/errors.ts',
          'src/metrics/payment.ts',
        ],
      },
      demonstration: 'Slow stub: two calls, order confirmed. Declining card: one call, order refused.',
      collectedMinutesAgo: 7_224,
    },
    pullRequest: pull(431),
  },
  {
    id: 'web-bank-transfer',
    storyKey: 'WEB-14',
    budgetCents: 1_500,
    createdMinutesAgo: 215,
    attempts: [
      {
        status: 'running',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 538,
        startedMinutesAgo: 213,
      },
    ],
    pullRequest: pull(453),
  },
  {
    id: 'web-split-order',
    storyKey: 'WEB-15',
    budgetCents: 1_500,
    createdMinutesAgo: 700,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 611,
        failureClass: 'gate',
        error: 'acceptance: ac-3 failed: reservation res-1 in HP-0417 still held 5 s after HP-0421 refused',
        verification: {
          result: 'failed',
          gates: [
            gate('unit tests', 'passed', '1,296 passed in 73 s'),
            gate('acceptance', 'failed', '2 of 4 criteria; ac-3 and ac-4 failed'),
          ],
          verifiedMinutesAgo: 562,
        },
        startedMinutesAgo: 698,
        completedMinutesAgo: 560,
      },
      {
        status: 'waiting',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 427,
        verification: { result: 'failed', gates: splitGates, verifiedMinutesAgo: 398 },
        startedMinutesAgo: 558,
      },
    ],
    evidence: {
      commit: 'a9032050d09c5892503e12b47fa42f93ceaf2ffb',
      gates: splitGates,
      criteria: [
        {
          id: 'ac-1',
          result: 'passed',
          proof: 'split.spec.ts: three large parcels are offered over two lockers',
        },
        { id: 'ac-2', result: 'passed', proof: 'split.spec.ts: both addresses and one total before payment' },
        {
          id: 'ac-3',
          result: 'failed',
          proof: 'split.spec.ts: releases the first locker: still held after 5,000 ms',
        },
        { id: 'ac-4', result: 'passed', proof: 'confirmation.spec.ts: two pickup codes' },
      ],
      changes: {
        files: 9,
        additions: 512,
        deletions: 64,
        paths: [
          'src/checkout/locker/SplitOffer.tsx',
          'src/checkout/locker/SplitOffer.test.tsx',
          'src/lockers/search.ts',
          'src/lockers/split.ts',
          'src/lockers/split.test.ts',
          'src/reservations/client.ts',
          'src/reservations/compensate.ts',
          'src/orders/confirmation.ts',
          'src/i18n/split.json',
        ],
      },
      demonstration:
        'Split offered and paid, two codes shown. With HP-0421 refusing, HP-0417 stayed reserved.',
      collectedMinutesAgo: 398,
    },
  },
  {
    id: 'web-pickup-time',
    storyKey: 'WEB-18',
    budgetCents: 1_500,
    createdMinutesAgo: 48,
    attempts: [
      {
        status: 'running',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 96,
        startedMinutesAgo: 46,
      },
    ],
  },
  {
    id: 'web-translations',
    storyKey: 'WEB-19',
    budgetCents: 1_500,
    createdMinutesAgo: 6_800,
    attempts: [
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'claude_code',
        costCents: 448,
        failureClass: 'gate',
        error: 'unit tests: 57 failed; server rendering cannot load translations asynchronously',
        verification: {
          result: 'failed',
          gates: [
            gate('type check', 'passed', 'no errors'),
            gate('unit tests', 'failed', '1,172 passed, 57 failed'),
          ],
          verifiedMinutesAgo: 6_664,
        },
        startedMinutesAgo: 6_798,
        completedMinutesAgo: 6_660,
      },
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 397,
        failureClass: 'persistent',
        error:
          'The agent changed src/i18n/runtime.ts back and forth 6 times without progress (identical edits).',
        startedMinutesAgo: 6_655,
        completedMinutesAgo: 6_500,
      },
      {
        status: 'failed',
        stage: 'verifying',
        executor: 'codex',
        costCents: 395,
        failureClass: 'persistent',
        error:
          'Same failure in three attempts: src/checkout/render needs translations synchronously; the template engine has no asynchronous mode.',
        verification: { result: 'failed', gates: translationGates, verifiedMinutesAgo: 6_338 },
        startedMinutesAgo: 6_490,
        completedMinutesAgo: 6_330,
        retried: { by: 'tomasz.wrobel@example.com', minutesAgo: 6_492 },
      },
    ],
    evidence: {
      commit: 'f3e0b6e9aba45ee6ebc57f4590641e1f037860cf',
      gates: translationGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'bundle report: checkout 481 kB' },
        { id: 'ac-2', result: 'failed', proof: 'i18n.spec.ts: first paint shows translation keys' },
        { id: 'ac-3', result: 'failed', proof: 'i18n.spec.ts: language change reloads the page' },
      ],
      changes: {
        files: 5,
        additions: 388,
        deletions: 1_240,
        paths: [
          'src/i18n/runtime.ts',
          'src/i18n/load.ts',
          'src/checkout/render/template.ts',
          'src/checkout/render/template.test.ts',
          'build.config.ts',
        ],
      },
      demonstration: null,
      collectedMinutesAgo: 6_338,
    },
  },
  {
    id: 'web-retry-test',
    storyKey: 'WEB-27',
    budgetCents: 1_500,
    createdMinutesAgo: 1_650,
    attempts: [
      {
        status: 'failed',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 74,
        failureClass: 'transient',
        error: 'Runner build-03 missed 3 heartbeats and did not return within 5 minutes; lease given up.',
        startedMinutesAgo: 1_648,
        completedMinutesAgo: 1_610,
      },
      {
        status: 'queued',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 0,
        retried: { by: 'amara.okafor@example.com', minutesAgo: 6 },
      },
    ],
  },
  {
    id: 'web-idempotency',
    storyKey: 'WEB-31',
    budgetCents: 1_500,
    createdMinutesAgo: 5_718,
    attempts: [
      {
        status: 'succeeded',
        stage: 'handing_off',
        executor: 'claude_code',
        costCents: 356,
        verification: { result: 'passed', gates: idempotencyGates, verifiedMinutesAgo: 5_571 },
        startedMinutesAgo: 5_717,
        completedMinutesAgo: 5_560,
      },
    ],
    evidence: {
      commit: '29ae36563d8b6da25a43a846eb31e7ea468c6414',
      gates: idempotencyGates,
      criteria: [
        { id: 'ac-1', result: 'passed', proof: 'idempotency.spec.ts: call and retry carry one key' },
        {
          id: 'ac-2',
          result: 'passed',
          proof: 'idempotency.spec.ts: second attempt of the recipient has a new key',
        },
        {
          id: 'ac-3',
          result: 'passed',
          proof: 'idempotency.spec.ts: duplicate reply equals the first reply',
        },
      ],
      changes: {
        files: 4,
        additions: 93,
        deletions: 14,
        paths: [
          'src/payment/authorise.ts',
          'src/payment/idempotency.ts',
          'src/payment/idempotency.spec.ts',
          'src/payment/retry.ts',
        ],
      },
      demonstration: 'Slow stub: two calls with one key, one authorisation.',
      collectedMinutesAgo: 5_571,
    },
    pullRequest: pull(436),
  },
  {
    id: 'web-duplicates',
    storyKey: 'WEB-32',
    budgetCents: 1_500,
    createdMinutesAgo: 1_900,
    attempts: [
      {
        status: 'waiting',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 283,
        startedMinutesAgo: 1_898,
      },
    ],
  },
  {
    id: 'web-second-provider',
    storyKey: 'WEB-34',
    budgetCents: 1_500,
    createdMinutesAgo: 460,
    attempts: [
      {
        status: 'waiting',
        stage: 'planning',
        executor: 'claude_code',
        costCents: 142,
        startedMinutesAgo: 458,
      },
    ],
  },
  {
    id: 'web-lazy-map',
    storyKey: 'WEB-35',
    budgetCents: 1_500,
    createdMinutesAgo: 3_300,
    attempts: [
      {
        status: 'timed_out',
        stage: 'implementing',
        executor: 'claude_code',
        costCents: 690,
        failureClass: 'transient',
        error: 'Wall-clock limit of 240 minutes reached while `npm run e2e:map` waited for tiles.',
        startedMinutesAgo: 3_298,
        completedMinutesAgo: 3_058,
      },
    ],
  },
]
