import { Type } from 'typebox'
import { anyRecordOf, nullable, type Of, oneOf, timestamp } from './shapes.ts'

/** From worst to least. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof severities)[number]

/** A tool that sends alerts. */
export const senderKinds = [
  'generic',
  'grafana',
  'pagerduty',
  'sentry',
  'alertmanager',
  'datadog',
  'newrelic',
  'opsgenie',
  'cloudwatch',
  'azure_monitor',
  'statuspage',
] as const
export type SenderKind = (typeof senderKinds)[number]

export const alertStatuses = ['firing', 'resolved'] as const

/** One alert as the intake understands it, no matter who sent it. */
export const Alert = Type.Object(
  {
    title: Type.String({ description: 'shown as the title of the incident' }),
    status: oneOf(alertStatuses),
    severity: oneOf(severities),
    fingerprint: Type.String({
      description: 'identity of the alert; a resolved one with the same fingerprint recovers it',
    }),
    service: nullable(Type.String({ description: 'picks the service when the source feeds several' })),
    environment: nullable(Type.String()),
    description: nullable(Type.String()),
    startedAt: nullable(timestamp),
    endedAt: nullable(timestamp),
    labels: anyRecordOf(Type.String()),
    cuts: Type.Array(Type.String(), { description: 'what did not fit and was cut, in sentences' }),
    links: Type.Array(
      Type.Object({ label: Type.String(), url: Type.String() }, { additionalProperties: false }),
    ),
  },
  { $id: 'Alert', additionalProperties: false },
)
export type Alert = Of<typeof Alert>
