import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Format } from '../reading.ts'
import { alertmanager } from './alertmanager.ts'
import { azureMonitor } from './azure-monitor.ts'
import { cloudwatch } from './cloudwatch.ts'
import { datadog } from './datadog.ts'
import { generic } from './generic.ts'
import { grafana } from './grafana.ts'
import { newrelic } from './newrelic.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { sentry } from './sentry.ts'
import { statuspage } from './statuspage.ts'

/** How the deliveries of each kind of sender are read. */
export const formats: Record<SenderKind, Format> = {
  generic,
  grafana,
  pagerduty,
  sentry,
  alertmanager,
  datadog,
  newrelic,
  opsgenie,
  cloudwatch,
  azure_monitor: azureMonitor,
  statuspage,
}
