import type { Sample } from '../sender/sample.ts'
import { sampleGroup, sampleMember } from '../sender/sample-group.ts'

export const sample: Sample = (told) => ({
  body: {
    receiver: 'signalbox',
    status: told.status,
    alerts: [sampleMember(told)],
    ...sampleGroup(told),
    version: '4',
  },
})
