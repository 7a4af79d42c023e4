import { idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    title: told.title,
    status: told.status,
    fingerprint: idOf(told),
    severity: told.severity,
    service: told.service,
    environment: 'production',
    description: told.description,
    startedAt: startOf(told),
    ...(told.status === 'resolved' ? { endedAt: told.at.toISOString() } : {}),
    labels: { region: 'eu-central-1' },
    links: [{ label: 'Dashboard', url: 'https://dashboards.example.com/d/checkout' }],
  },
})
