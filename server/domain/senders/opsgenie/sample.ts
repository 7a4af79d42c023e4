import { idOf, priorities, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    action: told.status === 'firing' ? 'Create' : 'Close',
    integrationId: 'a2d2b1e5-9c3a-4f0e-8f6b-1c2d3e4f5a6b',
    integrationName: 'signalbox',
    source: { name: '', type: 'web' },
    alert: {
      alertId: idOf(told),
      message: told.title,
      tags: ['production'],
      tinyId: '42',
      entity: told.service,
      alias: idOf(told),
      createdAt: Date.parse(startOf(told)),
      updatedAt: told.at.getTime(),
      username: 'signalbox',
      priority: priorities[told.severity],
      details: {},
    },
  },
})
