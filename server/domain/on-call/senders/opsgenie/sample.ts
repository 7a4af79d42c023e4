import { idOf, priorities, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    action: alert.status === 'firing' ? 'Create' : 'Close',
    integrationId: 'a2d2b1e5-9c3a-4f0e-8f6b-1c2d3e4f5a6b',
    integrationName: 'signalbox',
    source: { name: '', type: 'web' },
    alert: {
      alertId: idOf(alert),
      message: alert.title,
      tags: ['production'],
      tinyId: '42',
      entity: alert.service,
      alias: idOf(alert),
      createdAt: Date.parse(startOf(alert)),
      updatedAt: alert.at.getTime(),
      username: 'signalbox',
      priority: priorities[alert.severity],
      details: {},
    },
  },
})
