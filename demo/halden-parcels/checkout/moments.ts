import { amara, ines, joris, kenji, service, tomasz } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'
import {
  issueCommented,
  issueMoved,
  mergeAllowed,
  serviceCreated,
  signalReceived,
  sourceAdded,
  storyWritten,
  writeDenied,
} from '../../shorthand/moments.ts'

const shopAlerts = { kind: 'grafana', id: 'grafana-shop', name: 'Shop dashboards' } as const
const gatewayLatency = { title: 'Payment gateway median latency above 3 s', severity: 'medium' } as const
const doubleAuthorisation = {
  title: 'Orders with two card authorisations above 1%',
  severity: 'high',
} as const
const paymentIncident = { type: 'incident', id: 'inc-7q2d', name: doubleAuthorisation.title } as const

export const moments: DemoMoment[] = [
  serviceCreated(13_320, tomasz, 'checkout-api'),
  sourceAdded(13_316, tomasz, shopAlerts, ['checkout-api']),
  mergeAllowed(10_063, 'web-locker-address', { rule: 'auto_within_limits', lines: 109, limit: 400 }),
  issueMoved(10_059, ['WEB-3', 'checkout-web#212'], 'web-locker-address', ['open', 'closed']),
  mergeAllowed(9_332, 'web-voucher', { rule: 'auto_within_limits', lines: 67, limit: 400 }),
  writeDenied(
    8_605,
    'web-session-basket',
    'verifying',
    '.kanman/acceptance/web-8/basket.spec.ts',
    '.kanman/acceptance/**',
  ),
  mergeAllowed(7_218, 'web-auth-retry', { rule: 'auto_within_limits', lines: 170, limit: 400 }),
  storyWritten(6_895, ['WEB-27', 'checkout-web#274'], kenji),
  writeDenied(6_604, 'web-translations', 'implementing', 'infra/cdn/cache-rules.tf', 'infra/**'),
  signalReceived(5_790, shopAlerts, '6972ee85-2b24-543f-ad41-7630f6ad64f4', 'firing', gatewayLatency),
  signalReceived(5_762, shopAlerts, 'b04a665a-8849-5da0-b5a0-ba4685f6d889', 'firing', doubleAuthorisation),
  {
    minutesAgo: 5_761,
    actor: service,
    event: 'incident_opened',
    entity: paymentIncident,
    details: { service: 'checkout-api', severity: 'high', alerts: 1 },
  },
  signalReceived(5_752, shopAlerts, 'ac4b0d96-b1f7-53c9-8c39-f735422c22e8', 'firing', gatewayLatency),
  {
    minutesAgo: 5_737,
    actor: service,
    event: 'incident_updated',
    entity: paymentIncident,
    details: { change: 'investigated', finding: 'code', confidence: 0.6 },
  },
  {
    minutesAgo: 5_720,
    actor: service,
    event: 'incident_updated',
    entity: paymentIncident,
    details: { change: 'fix_started', story: 'WEB-31' },
  },
  {
    minutesAgo: 5_719,
    actor: service,
    event: 'tracker_written',
    story: 'WEB-31',
    details: { issue: 'checkout-web#291', wrote: 'created', classOfService: 'expedite' },
  },
  mergeAllowed(5_563, 'web-idempotency', { rule: 'auto_within_limits', lines: 107, limit: 400 }),
  {
    minutesAgo: 5_558,
    actor: service,
    event: 'incident_updated',
    run: 'web-idempotency',
    entity: paymentIncident,
    details: { change: 'noted', note: 'The fix is merged as #436' },
  },
  signalReceived(5_538, shopAlerts, '18659f15-f13a-5043-8d7f-9be5b5da75df', 'resolved', doubleAuthorisation),
  signalReceived(5_533, shopAlerts, 'b393b2cb-ce2a-550e-a174-6a024121fd31', 'resolved', gatewayLatency),
  {
    minutesAgo: 5_532,
    actor: service,
    event: 'incident_resolved',
    entity: paymentIncident,
    details: { service: 'checkout-api', severity: 'high' },
  },
  storyWritten(5_395, ['WEB-32', 'checkout-web#292'], kenji),
  storyWritten(4_790, ['WEB-34', 'checkout-web#297'], amara),
  {
    minutesAgo: 4_330,
    actor: ines,
    event: 'audit_exported',
    entity: { type: 'audit_export', id: 'export-0001', name: 'Checkout Web, CSV' },
    details: {
      format: 'csv',
      count: 148,
      truncated: false,
      from: null,
      to: null,
      filters: { team: 'checkout-web' },
      reason: 'Incident review for inc-7q2d',
    },
  },
  issueMoved(2_044, ['WEB-11', 'checkout-web#231'], 'web-postcode', ['open', 'closed']),
  issueCommented(
    29,
    ['WEB-14', 'checkout-web#238'],
    'web-bank-transfer',
    'Pull request #453 opened, gates are running',
  ),
  {
    minutesAgo: 17,
    actor: joris,
    event: 'service_changed',
    entity: { type: 'service', id: 'checkout-api', name: 'checkout-api' },
    details: {
      change: 'changed',
      changes: [{ field: 'lowestSeverity', before: 'high', after: 'medium' }],
      reason: 'The latency warning came half an hour before the incident.',
    },
  },
]
