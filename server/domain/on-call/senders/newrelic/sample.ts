import { idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    id: idOf(alert),
    issueUrl: 'https://one.newrelic.com/nerdlets/issue',
    title: alert.title,
    priority: alert.severity === 'info' ? 'LOW' : alert.severity.toUpperCase(),
    impactedEntities: [alert.service],
    totalIncidents: 1,
    state: alert.status === 'firing' ? 'ACTIVATED' : 'CLOSED',
    trigger: 'STATE_CHANGE',
    isCorrelated: false,
    createdAt: Date.parse(startOf(alert)),
    updatedAt: alert.at.getTime(),
    sources: ['newrelic'],
    alertPolicyNames: ['Production'],
    alertConditionNames: [alert.title],
    workflowName: 'signalbox',
  },
})
