import { idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    id: idOf(told),
    issueUrl: 'https://one.newrelic.com/nerdlets/issue',
    title: told.title,
    priority: told.severity === 'info' ? 'LOW' : told.severity.toUpperCase(),
    impactedEntities: [told.service],
    totalIncidents: 1,
    state: told.status === 'firing' ? 'ACTIVATED' : 'CLOSED',
    trigger: 'STATE_CHANGE',
    isCorrelated: false,
    createdAt: Date.parse(startOf(told)),
    updatedAt: told.at.getTime(),
    sources: ['newrelic'],
    alertPolicyNames: ['Production'],
    alertConditionNames: [told.title],
    workflowName: 'signalbox',
  },
})
