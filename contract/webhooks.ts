import { type TSchema, Type } from 'typebox'
import { decisionKinds, decisionStatuses } from './decision.ts'
import { incidentStatuses } from './incident.ts'
import { decisionKey, incidentKey, requirementSlug, runKey, storyKey, teamSlug } from './keys.ts'
import { failureClasses, runStages, runStatuses } from './run.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'
import { type testEvent, type WebhookEvent, webhookEvents } from './webhook-events.ts'

/**
 * The messages that endpoints get: thin, so that nothing is told past the permissions of the REST API. They name a
 * thing and where it is; the rest is read there.
 */

/** Changes only with what a receiver would have to be changed for; fields may be added at any time. */
export const webhookApiVersion = 'v1'

const always = {
  url: Type.String({ format: 'uri', description: 'its page in the app' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'counts the events of this object; of two, the one with the larger number is newer',
  }),
}

const about = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object({ ...properties, ...always })

const decision = about({
  key: decisionKey,
  status: oneOf(decisionStatuses),
  kind: oneOf(decisionKinds),
  team: nullable(teamSlug),
  run: nullable(runKey),
})

const run = about({
  key: runKey,
  status: oneOf(runStatuses),
  stage: oneOf(runStages),
  attempt: Type.Integer({ minimum: 1 }),
  failureClass: nullable(oneOf(failureClasses)),
  team: nullable(teamSlug),
})

const story = about({ key: storyKey, status: oneOf(['ready', 'done']), team: nullable(teamSlug) })

const incident = about({
  key: incidentKey,
  status: oneOf(incidentStatuses),
  change: nullable(Type.String({ description: 'what was updated' })),
  team: nullable(teamSlug),
})

const team = about({ key: teamSlug, status: oneOf(['active', 'paused']), team: teamSlug })

const policy = about({
  key: Type.Intersect([teamSlug], { description: 'slug of the team' }),
  version: Type.Integer({ minimum: 1 }),
  team: teamSlug,
})

const requirement = about({
  key: requirementSlug,
  status: Type.Literal('drafted'),
  drafts: Type.Array(storyKey, { description: 'the stories that were drafted' }),
  team: nullable(teamSlug),
})

const endpoint = about({ key: uuid })

/** What `data` is, for each type. */
export const webhookData = {
  'decision.raised': decision,
  'decision.resolved': decision,
  'decision.expired': decision,
  'decision.cancelled': decision,
  'decision.superseded': decision,
  'run.started': run,
  'run.waiting': run,
  'run.succeeded': run,
  'run.failed': run,
  'run.stopped': run,
  'story.ready': story,
  'story.done': story,
  'incident.opened': incident,
  'incident.updated': incident,
  'incident.resolved': incident,
  'team.paused': team,
  'team.resumed': team,
  'policy.changed': policy,
  'requirement.drafted': requirement,
  'endpoint.test': endpoint,
} satisfies Record<WebhookEvent | typeof testEvent, TSchema>

export type WebhookType = keyof typeof webhookData
export type WebhookData = { [T in WebhookType]: Of<(typeof webhookData)[T]> }

/** A whole message of one type. */
export const webhookMessage = (type: WebhookType) =>
  Type.Object({
    type: Type.Literal(type),
    timestamp: { ...timestamp, description: 'when it happened; ISO 8601, UTC' },
    apiVersion: Type.Literal(webhookApiVersion),
    workspace: Type.String({ description: 'slug of the workspace' }),
    data: webhookData[type],
  })

export interface WebhookMessage<T extends WebhookType = WebhookType> {
  type: T
  timestamp: string
  apiVersion: typeof webhookApiVersion
  workspace: string
  data: WebhookData[T]
}

/** When each is sent, the test event included. */
export const webhookMeanings: Record<WebhookType, string> = {
  ...webhookEvents,
  'endpoint.test': 'Someone pressed **Send test event**. It is sent once and never retried.',
}

const page = (path: string) => `https://signalbox.example.com/acme/${path}`
const aDecision = { key: 'dec-k3x9', kind: 'plan_approval', team: 'checkout-web', run: 'run-7k2q' } as const
const aRun = {
  key: 'run-7k2q',
  stage: 'planning',
  attempt: 1,
  failureClass: null,
  team: 'checkout-web',
} as const
const anIncident = { key: 'inc-4m8t', status: 'open', change: null, team: 'checkout-web' } as const
const at = (path: string, sequence: number) => ({ url: page(path), sequence })
const decided = (status: WebhookData['decision.raised']['status'], sequence: number) => ({
  ...aDecision,
  status,
  ...at('decisions/dec-k3x9', sequence),
})
const ran = (status: WebhookData['run.started']['status'], sequence: number, more: object = {}) => ({
  ...aRun,
  status,
  ...more,
  ...at('runs/run-7k2q', sequence),
})

/** What it looks like. */
const examples: WebhookData = {
  'decision.raised': decided('pending', 1),
  'decision.resolved': decided('resolved', 2),
  'decision.expired': decided('expired', 2),
  'decision.cancelled': decided('cancelled', 2),
  'decision.superseded': decided('superseded', 2),
  'run.started': ran('running', 1),
  'run.waiting': ran('waiting', 2),
  'run.succeeded': ran('succeeded', 3, { stage: 'handing_off' }),
  'run.failed': ran('failed', 3, { stage: 'verifying', failureClass: 'gate' }),
  'run.stopped': ran('stopped', 3),
  'story.ready': { key: 'WEB-12', status: 'ready', team: 'checkout-web', ...at('stories/WEB-12', 1) },
  'story.done': { key: 'WEB-12', status: 'done', team: 'checkout-web', ...at('stories/WEB-12', 2) },
  'incident.opened': { ...anIncident, ...at('incidents/inc-4m8t', 1) },
  'incident.updated': { ...anIncident, change: 'acknowledged', ...at('incidents/inc-4m8t', 2) },
  'incident.resolved': { ...anIncident, status: 'resolved', ...at('incidents/inc-4m8t', 3) },
  'team.paused': {
    key: 'checkout-web',
    status: 'paused',
    team: 'checkout-web',
    ...at('teams/checkout-web/board', 1),
  },
  'team.resumed': {
    key: 'checkout-web',
    status: 'active',
    team: 'checkout-web',
    ...at('teams/checkout-web/board', 2),
  },
  'policy.changed': {
    key: 'checkout-web',
    version: 4,
    team: 'checkout-web',
    ...at('teams/checkout-web/settings/policy', 1),
  },
  'requirement.drafted': {
    key: 'show-the-delivery-window-k3x9q',
    status: 'drafted',
    drafts: ['WEB-12', 'WEB-13'],
    team: 'checkout-web',
    ...at('intake/show-the-delivery-window-k3x9q', 1),
  },
  'endpoint.test': {
    key: '0197f3a2-6c1b-7d40-9a55-3f0c8e2b7a11',
    ...at('settings/webhooks/0197f3a2-6c1b-7d40-9a55-3f0c8e2b7a11', 1),
  },
}

export const webhookExample = (type: WebhookType): WebhookMessage => ({
  type,
  timestamp: '2026-03-31T12:00:00.000Z',
  apiVersion: webhookApiVersion,
  workspace: 'acme',
  data: examples[type],
})
