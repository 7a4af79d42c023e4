import type { SenderKind } from '@signalbox/contract/signal.ts'
import { alertmanager } from './alertmanager/format.ts'
import { azureMonitor } from './azure-monitor/format.ts'
import { cloudwatch } from './cloudwatch/format.ts'
import { datadog } from './datadog/format.ts'
import { generic } from './generic/format.ts'
import { grafana } from './grafana/format.ts'
import { newrelic } from './newrelic/format.ts'
import { opsgenie } from './opsgenie/format.ts'
import { pagerduty } from './pagerduty/format.ts'
import type { Format } from './reading/reading.ts'
import { sentry } from './sentry/format.ts'
import { statuspage } from './statuspage/format.ts'

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
