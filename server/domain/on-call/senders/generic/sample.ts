import { idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    title: alert.title,
    status: alert.status,
    fingerprint: idOf(alert),
    severity: alert.severity,
    service: alert.service,
    environment: 'production',
    description: alert.description,
    startedAt: startOf(alert),
    ...(alert.status === 'resolved' ? { endedAt: alert.at.toISOString() } : {}),
    labels: { region: 'eu-central-1' },
    links: [{ label: 'Dashboard', url: 'https://dashboards.example.com/d/checkout' }],
  },
})
