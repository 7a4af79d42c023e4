/** What endpoints can subscribe to, and when each is sent. No schema here: the app takes these values too. */
export const webhookEvents = {
  'decision.raised': 'A decision is waiting for a person.',
  'decision.resolved': 'Someone answered a decision.',
  'decision.expired': 'No one answered a decision in time.',
  'decision.cancelled': 'A decision no longer needs an answer.',
  'decision.superseded': 'A newer decision replaced this one.',
  'run.started': 'A team picked up a story.',
  'run.waiting': 'A run is waiting for an answer.',
  'run.succeeded': 'A run finished its story.',
  'run.failed': 'A run ended without success. A run that timed out has the status `timed_out`.',
  'run.stopped': 'Someone stopped a run, or its story left the team.',
  'story.ready': 'A story moved to Ready.',
  'story.done': 'A story moved to Done.',
  'incident.opened': 'An incident opened.',
  'incident.updated': 'Something about an open incident changed. `change` says what.',
  'incident.resolved': 'An incident was resolved.',
  'team.paused': 'A team was paused.',
  'team.resumed': 'A team was resumed.',
  'policy.changed': 'A team’s policy has a new version.',
  'requirement.drafted': 'Stories were drafted from a requirement.',
} as const

export type WebhookEvent = keyof typeof webhookEvents

/** Sent by the Send test event button only; no one subscribes to it. */
export const testEvent = 'endpoint.test' as const
