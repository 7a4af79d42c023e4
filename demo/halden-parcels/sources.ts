import type { SenderKind } from '@signalbox/contract/signal.ts'

/** One source of each kind, each feeding a service of its own, so that incidents of one do not join another's. */
export const sources: Record<SenderKind, { service: string; team: string; name: string }> = {
  generic: { service: 'order-mailer', team: 'checkout-web', name: 'Shop scripts' },
  grafana: { service: 'checkout-api', team: 'checkout-web', name: 'Shop dashboards' },
  pagerduty: { service: 'locker-gateway', team: 'locker-firmware', name: 'Locker team paging' },
  sentry: { service: 'checkout-web', team: 'checkout-web', name: 'Shop errors' },
  alertmanager: { service: 'route-planner', team: 'route-planning', name: 'Planning cluster alerts' },
  datadog: { service: 'parcel-events', team: 'data-platform', name: 'Event platform monitors' },
  newrelic: { service: 'partner-portal', team: 'partner-portal', name: 'Partner portal monitors' },
  opsgenie: { service: 'depot-scanner', team: 'depot-tools', name: 'Depot paging' },
  cloudwatch: { service: 'label-printer', team: 'depot-tools', name: 'Cloud account alarms' },
  azure_monitor: { service: 'invoice-export', team: 'data-platform', name: 'Billing account monitor' },
  statuspage: { service: 'map-tiles', team: 'route-planning', name: 'Map provider status page' },
}
