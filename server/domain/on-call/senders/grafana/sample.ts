import type { Sample } from '../sender/sample.ts'
import { sampleGroup, sampleMember } from '../sender/sample-group.ts'

export const sample: Sample = (alert) => ({
  body: {
    receiver: 'signalbox',
    status: alert.status,
    orgId: 1,
    alerts: [
      {
        ...sampleMember(alert),
        values: { A: 12.4 },
        dashboardURL: 'https://grafana.example.com/d/checkout',
        panelURL: 'https://grafana.example.com/d/checkout?viewPanel=2',
        imageURL: '',
      },
    ],
    ...sampleGroup(alert),
    version: '1',
    title: `[${alert.status.toUpperCase()}:1] ${alert.title}`,
    state: alert.status === 'firing' ? 'alerting' : 'ok',
    message: `**${alert.status}** ${alert.title}`,
  },
})
