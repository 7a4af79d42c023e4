import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Certificates } from '../../ports/certificates.ts'
import { alertmanager } from './alertmanager/sender.ts'
import { azureMonitor } from './azure-monitor/sender.ts'
import { cloudwatch } from './cloudwatch/sender.ts'
import { datadog } from './datadog/sender.ts'
import { generic } from './generic/sender.ts'
import { grafana } from './grafana/sender.ts'
import { newrelic } from './newrelic/sender.ts'
import { opsgenie } from './opsgenie/sender.ts'
import { pagerduty } from './pagerduty/sender.ts'
import type { Proof } from './proving/proof.ts'
import type { Sender } from './sender/sender.ts'
import { sentry } from './sentry/sender.ts'
import { statuspage } from './statuspage/sender.ts'

/** Every alerting tool that is understood, in the order in which people are shown them. */
export const senders: Record<SenderKind, Sender> = {
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

/** How each of them proves that it knows the source's secret. Made once: it remembers certificates. */
export const proofsWith = (certificates: Certificates): Record<SenderKind, Proof> => {
  const proofs = Object.values(senders).map(({ kind, proving }) => [kind, proving.proof({ certificates })])
  return Object.fromEntries(proofs)
}
