import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { WebhookEvent } from '@signalbox/contract/webhook-events.ts'
import type { WebhookData } from '@signalbox/contract/webhooks.ts'

/** What the outside is told about a change, apart from where it is shown and how many there were before. */
export type PublicEvent = {
  [E in WebhookEvent]: {
    /** Of the entry that it follows from. */
    id: string
    type: E
    at: string
    team: string | null
    /** What is counted: `run/run-7k2q`. */
    object: string
    data: Omit<WebhookData[E], 'url' | 'sequence'>
  }
}[WebhookEvent]

/**
 * The events that follow from the entries of one transaction and one workspace. Because no change is made without its
 * entry, none is missed, whichever face it came through.
 */
export function publicEventsOf(entries: readonly AuditEntry[]): PublicEvent[] {
  const events: PublicEvent[] = []
  const drafted = new Map<string, AuditEntry[]>()
  for (const entry of entries) {
    const requirement = draftedFrom(entry)
    if (requirement) drafted.set(requirement, [...(drafted.get(requirement) ?? []), entry])
    const event = eventOf(entry)
    if (event) events.push(event)
  }
  // Every draft has an entry of its own; the requirement has been drafted once.
  for (const [slug, drafts] of drafted)
    events.push({
      ...about(drafts[0]!, 'requirement', slug),
      type: 'requirement.drafted',
      data: {
        key: slug,
        status: 'drafted',
        drafts: drafts.map(({ entity }) => entity.id),
        team: drafts[0]!.team,
      },
    })
  return events
}

const about = ({ id, timestamp, team }: AuditEntry, kind: string, key: string) => ({
  id,
  at: timestamp,
  team,
  object: `${kind}/${key}`,
})

const draftedFrom = ({ event, details }: AuditEntry): string | null =>
  event === 'story_changed' && details.change === 'drafted' && typeof details.requirement === 'string'
    ? details.requirement
    : null

function eventOf(entry: AuditEntry): PublicEvent | null {
  const { event, entity, team, details, result } = entry
  // That a run fails is an event; that something else could not be done is none.
  if (event === 'run_state_changed') return runEvent(entry)
  if (result !== 'success') return null
  const key = entity.id
  switch (event) {
    case 'decision_raised':
      return decisionEvent(entry, 'decision.raised', 'pending')
    case 'decision_resolved':
      return decisionEvent(entry, 'decision.resolved', 'resolved')
    case 'decision_expired':
      return decisionEvent(entry, 'decision.expired', 'expired')
    case 'decision_cancelled':
      return decisionEvent(entry, 'decision.cancelled', 'cancelled')
    case 'decision_superseded':
      return decisionEvent(entry, 'decision.superseded', 'superseded')
    case 'run_started':
      // It is written in the transaction in which the first attempt begins.
      return {
        ...about(entry, 'run', key),
        type: 'run.started',
        data: { key, status: 'running', stage: 'planning', attempt: 1, failureClass: null, team },
      }
    case 'story_changed':
    case 'story_written':
      return storyEvent(entry)
    case 'incident_opened':
      return incidentEvent(entry, 'incident.opened', 'open')
    case 'incident_updated':
      return incidentEvent(entry, 'incident.updated', 'open')
    case 'incident_resolved':
      return incidentEvent(entry, 'incident.resolved', 'resolved')
    case 'team_paused':
    case 'team_resumed': {
      const isPaused = event === 'team_paused'
      return {
        ...about(entry, 'team', key),
        type: isPaused ? 'team.paused' : 'team.resumed',
        data: { key, status: isPaused ? 'paused' : 'active', team: key },
      }
    }
    case 'policy_changed':
      return {
        ...about(entry, 'policy', key),
        type: 'policy.changed',
        data: { key, version: details.version as number, team: key },
      }
    default:
      return null
  }
}

type DecisionEvent = Extract<WebhookEvent, `decision.${string}`>
type IncidentEvent = Extract<WebhookEvent, `incident.${string}`>

const decisionEvent = (
  entry: AuditEntry,
  type: DecisionEvent,
  status: WebhookData[DecisionEvent]['status'],
): PublicEvent => ({
  ...about(entry, 'decision', entry.entity.id),
  type,
  data: {
    key: entry.entity.id,
    status,
    kind: entry.details.kind as WebhookData[DecisionEvent]['kind'],
    team: entry.team,
    run: entry.runKey,
  },
})

const incidentEvent = (
  entry: AuditEntry,
  type: IncidentEvent,
  status: WebhookData[IncidentEvent]['status'],
): PublicEvent => ({
  ...about(entry, 'incident', entry.entity.id),
  type,
  data: {
    key: entry.entity.id,
    status,
    change: typeof entry.details.change === 'string' ? entry.details.change : null,
    team: entry.team,
  },
})

const runTypes: Partial<Record<string, Extract<WebhookEvent, `run.${string}`>>> = dictionary({
  waiting: 'run.waiting',
  succeeded: 'run.succeeded',
  failed: 'run.failed',
  timed_out: 'run.failed',
  stopped: 'run.stopped',
})

/** Where a run's status became another one; a new stage or attempt alone is none. */
function runEvent(entry: AuditEntry): PublicEvent | null {
  const { entity, details, team } = entry
  type Run = WebhookData['run.started']
  const status = becameIn(entry, 'status')
  const type = status === undefined ? undefined : runTypes[status]
  if (!type) return null
  return {
    ...about(entry, 'run', entity.id),
    type,
    data: {
      key: entity.id,
      status: status as Run['status'],
      stage: details.stage as Run['stage'],
      attempt: details.attempt as number,
      failureClass: (details.failureClass as Run['failureClass'] | undefined) ?? null,
      team,
    },
  }
}

/** Wherever a story came from: it was moved there, written there, or filed there in the first place. */
function storyEvent(entry: AuditEntry): PublicEvent | null {
  const { entity, details, team } = entry
  const column = becameIn(entry, 'column') ?? details.column
  if (column !== 'ready' && column !== 'done') return null
  return {
    ...about(entry, 'story', entity.id),
    type: column === 'ready' ? 'story.ready' : 'story.done',
    data: { key: entity.id, status: column, team },
  }
}

function becameIn({ details }: AuditEntry, field: string): string | undefined {
  const changes = Array.isArray(details.changes) ? details.changes : []
  return changes.find((one) => one.field === field)?.after
}
