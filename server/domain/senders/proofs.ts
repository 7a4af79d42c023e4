import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Certificates } from '../ports/certificates.ts'
import { cloudwatchProof } from './cloudwatch/proof.ts'
import { genericProof } from './generic/proof.ts'
import { grafanaProof } from './grafana/proof.ts'
import { pagerdutyProof } from './pagerduty/proof.ts'
import { keyProof } from './proving/key.ts'
import type { Proof } from './proving/proof.ts'
import { tokenProof } from './proving/token.ts'
import { sentryProof } from './sentry/proof.ts'

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
