import type { SenderKind } from '@signalbox/contract/signal.ts'

/** One source of each kind, each feeding a service of its own, so that incidents of one do not join another's. */
export const sources: Record<SenderKind, { service: string; team: string; name: string }> = {
  generic: { service: 'order-mailer', team: 'checkout-web', name: 'Scripts of the shop' },
  grafana: { service: 'checkout-api', team: 'checkout-web', name: 'Dashboard alerts of the shop' },
  pagerduty: { service: 'locker-gateway', team: 'locker-firmware', name: 'Paging of the locker team' },
  sentry: { service: 'checkout-web', team: 'checkout-web', name: 'Errors of the shop' },
  alertmanager: { service: 'route-planner', team: 'route-planning', name: 'Alerts of the planning cluster' },
  datadog: { service: 'parcel-events', team: 'data-platform', name: 'Monitors of the event platform' },
  newrelic: { service: 'partner-portal', team: 'partner-portal', name: 'Monitors of the partner portal' },
  opsgenie: { service: 'depot-scanner', team: 'depot-tools', name: 'Paging of the depots' },
  cloudwatch: { service: 'label-printer', team: 'depot-tools', name: 'Alarms of the cloud account' },
  azure_monitor: { service: 'invoice-export', team: 'data-platform', name: 'Monitor of the billing account' },
  statuspage: { service: 'map-tiles', team: 'route-planning', name: 'Status page of the map provider' },
}
