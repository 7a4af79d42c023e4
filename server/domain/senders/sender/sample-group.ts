import { idOf, type SampleAlert, startOf } from './sample.ts'

/** The group that senders of groups put an alert into. */
export const sampleGroup = (told: SampleAlert) => ({
  groupLabels: { alertname: told.title },
  commonLabels: labelsOf(told),
  commonAnnotations: { summary: told.title },
  externalURL: 'https://alerts.example.com',
  groupKey: `{}:{alertname="${told.title}"}`,
  truncatedAlerts: 0,
})

export const sampleMember = (told: SampleAlert) => ({
  status: told.status,
  labels: labelsOf(told),
  annotations: { summary: told.title, description: told.description },
  startsAt: startOf(told),
  endsAt: told.status === 'resolved' ? told.at.toISOString() : '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example.com/graph?g0.expr=up',
  fingerprint: idOf(told),
})

const labelsOf = (told: SampleAlert) => ({
  alertname: told.title,
  severity: told.severity,
  service: told.service,
  env: 'production',
})
