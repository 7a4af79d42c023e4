import { scheduler, service } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'

export const moments: DemoMoment[] = [
  {
    minutesAgo: 12_107,
    actor: service,
    event: 'tracker_written',
    run: 'data-inventory',
    story: 'DATA-1',
    details: { tracker: 'data-platform#63', write: 'status', before: 'open', after: 'closed' },
  },
  {
    minutesAgo: 10_264,
    actor: service,
    event: 'policy_evaluated',
    run: 'data-pseudonymise',
    details: { question: 'merge', rule: 'auto_within_limits', lines: 159, limit: 400 },
  },
  {
    minutesAgo: 8_482,
    actor: service,
    event: 'policy_evaluated',
    run: 'data-partition-alert',
    details: { question: 'merge', rule: 'auto_within_limits', lines: 150, limit: 400 },
  },
  {
    minutesAgo: 5_703,
    actor: service,
    event: 'policy_evaluated',
    run: 'data-idempotent-events',
    details: { question: 'merge', rule: 'auto_within_limits', lines: 283, limit: 400 },
  },
  {
    minutesAgo: 3_722,
    actor: scheduler,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'data-search-index',
    details: { question: 'retry', rule: 'three attempts after transient failures', attempts: 3 },
  },
  {
    minutesAgo: 2_248,
    actor: service,
    event: 'tracker_written',
    run: 'data-warehouse-client',
    story: 'DATA-8',
    details: { tracker: 'data-platform#79', write: 'comment', summary: 'The question expired; run ended' },
  },
  {
    minutesAgo: 1_107,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'data-erasure',
    details: {
      path: 'infra/terraform/prod.tf',
      rule: 'infra/terraform/**',
      access: 'write',
      stage: 'implementing',
    },
  },
  {
    minutesAgo: 983,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'data-erasure',
    details: {
      path: 'infra/terraform/iam.tf',
      rule: 'infra/terraform/**',
      access: 'write',
      stage: 'implementing',
    },
  },
  {
    minutesAgo: 475,
    actor: service,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'data-erasure-proof',
    details: {
      path: '.kanman/acceptance/data-7/proof.spec.ts',
      rule: '.kanman/acceptance/**',
      access: 'write',
      stage: 'verifying',
    },
  },
]
