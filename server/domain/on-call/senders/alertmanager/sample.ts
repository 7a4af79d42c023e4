import type { Sample } from '../sender/sample.ts'
import { sampleGroup, sampleMember } from '../sender/sample-group.ts'

export const sample: Sample = (alert) => ({
  body: {
    receiver: 'signalbox',
    status: alert.status,
    alerts: [sampleMember(alert)],
    ...sampleGroup(alert),
    version: '4',
  },
})
