import { idOf, type SampleAlert, startOf } from './sample.ts'

/** The group that senders of groups put an alert into. */
export const sampleGroup = (alert: SampleAlert) => ({
  groupLabels: { alertname: alert.title },
  commonLabels: labelsOf(alert),
  commonAnnotations: { summary: alert.title },
  externalURL: 'https://alerts.example.com',
  groupKey: `{}:{alertname="${alert.title}"}`,
  truncatedAlerts: 0,
})

export const sampleMember = (alert: SampleAlert) => ({
  status: alert.status,
  labels: labelsOf(alert),
  annotations: { summary: alert.title, description: alert.description },
  startsAt: startOf(alert),
  endsAt: alert.status === 'resolved' ? alert.at.toISOString() : '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example.com/graph?g0.expr=up',
  fingerprint: idOf(alert),
})

const labelsOf = (alert: SampleAlert) => ({
  alertname: alert.title,
  severity: alert.severity,
  service: alert.service,
  env: 'production',
})
