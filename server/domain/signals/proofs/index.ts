import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Certificates } from '../../ports/certificates.ts'
import { cloudwatchProof } from './cloudwatch.ts'
import { genericProof } from './generic.ts'
import { grafanaProof } from './grafana.ts'
import { keyProof } from './key.ts'
import { pagerdutyProof } from './pagerduty.ts'
import type { Proof } from './proof.ts'
import { sentryProof } from './sentry.ts'
import { tokenProof } from './token.ts'

/** How each kind of sender proves that it knows the source's secret. Made once: it remembers certificates. */
export const proofsWith = (certificates: Certificates): Record<SenderKind, Proof> => ({
  generic: genericProof,
  grafana: grafanaProof,
  pagerduty: pagerdutyProof,
  sentry: sentryProof,
  alertmanager: tokenProof,
  datadog: tokenProof,
  newrelic: tokenProof,
  opsgenie: tokenProof,
  cloudwatch: cloudwatchProof(certificates),
  azure_monitor: keyProof,
  statuspage: keyProof,
})
