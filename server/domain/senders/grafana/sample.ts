import type { Sample } from '../sender/sample.ts'
import { sampleGroup, sampleMember } from '../sender/sample-group.ts'

export const sample: Sample = (told) => ({
  body: {
    receiver: 'signalbox',
    status: told.status,
    orgId: 1,
    alerts: [
      {
        ...sampleMember(told),
        values: { A: 12.4 },
        dashboardURL: 'https://grafana.example.com/d/checkout',
        panelURL: 'https://grafana.example.com/d/checkout?viewPanel=2',
        imageURL: '',
      },
    ],
    ...sampleGroup(told),
    version: '1',
    title: `[${told.status.toUpperCase()}:1] ${told.title}`,
    state: told.status === 'firing' ? 'alerting' : 'ok',
    message: `**${told.status}** ${told.title}`,
  },
})
