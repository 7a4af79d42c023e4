import { scheduler } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'
import { issueCommented, issueMoved, mergeAllowed, writeDenied } from '../../shorthand/moments.ts'

export const moments: DemoMoment[] = [
  issueMoved(12_107, ['DATA-1', 'data-platform#63'], 'data-inventory', ['open', 'closed']),
  mergeAllowed(10_264, 'data-pseudonymise', { rule: 'auto_within_limits', lines: 159, limit: 400 }),
  mergeAllowed(8_482, 'data-partition-alert', { rule: 'auto_within_limits', lines: 150, limit: 400 }),
  mergeAllowed(5_703, 'data-idempotent-events', { rule: 'auto_within_limits', lines: 283, limit: 400 }),
  {
    minutesAgo: 3_722,
    actor: scheduler,
    event: 'policy_evaluated',
    result: 'denied',
    run: 'data-search-index',
    details: { question: 'retry', rule: 'three attempts after transient failures', attempts: 3 },
  },
  issueCommented(
    2_248,
    ['DATA-8', 'data-platform#79'],
    'data-warehouse-client',
    'The question expired; run ended',
  ),
  writeDenied(1_107, 'data-erasure', 'implementing', 'infra/terraform/prod.tf', 'infra/terraform/**'),
  writeDenied(983, 'data-erasure', 'implementing', 'infra/terraform/iam.tf', 'infra/terraform/**'),
  writeDenied(
    475,
    'data-erasure-proof',
    'verifying',
    '.kanman/acceptance/data-7/proof.spec.ts',
    '.kanman/acceptance/**',
  ),
]
