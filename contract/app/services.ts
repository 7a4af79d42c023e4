import { Type } from 'typebox'
import { incidentKey, teamSlug } from '../keys.ts'
import { maxNameLength, maxRepositories } from '../limits.ts'
import { OnCallSettings, Repository, Service } from '../service.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { severities } from '../signal.ts'
import { type Operations, operation, proven } from './operation.ts'

/** A service with what is going on in it now. */
export const ServiceRow = Type.Object({
  ...Service.properties,
  sources: Type.Integer({ description: 'how many sources feed it' }),
  openIncident: nullable(
    Type.Object({
      key: incidentKey,
      title: Type.String(),
      severity: oneOf(severities),
      openedAt: timestamp,
      /** Name of the person who has taken it. */
      assignee: nullable(Type.String()),
    }),
  ),
  tellsNoOne: Type.Boolean({ description: 'no member and no channel is told about an incident' }),
  onCall: Type.Object({
    now: Type.Boolean(),
    /** When that changes; null when it never does. */
    until: nullable(timestamp),
  }),
})
export type ServiceRow = Of<typeof ServiceRow>

/** What a service has been through lately, and who is told when it happens again. */
export const ServiceActivity = Type.Object({
  service: uuid,
  alertsLastWeek: Type.Integer({
    description: 'alerts received in the last seven days; one that repeats counts once',
  }),
  lastIncident: nullable(
    Type.Object({
      key: incidentKey,
      title: Type.String(),
      severity: oneOf(severities),
      openedAt: timestamp,
      resolvedAt: nullable(timestamp),
    }),
  ),
  /** Members, with the ways in which each of them is told about incidents; none of them: by their own choice. */
  members: Type.Array(Type.Object({ name: Type.String(), ways: Type.Array(oneOf(['app', 'mail', 'push'])) })),
  channels: Type.Array(Type.Object({ tool: Type.String(), name: Type.String() })),
})
export type ServiceActivity = Of<typeof ServiceActivity>

/** What the uptime checks of a service found, day by day in UTC. */
export const ServiceUptime = Type.Object({
  source: Type.Object({ id: uuid, name: Type.String() }),
  /** From the first day that is known, oldest first. */
  days: Type.Array(
    Type.Object({ day: Type.String(), watchedSeconds: Type.Integer(), downSeconds: Type.Integer() }),
  ),
})
export type ServiceUptime = Of<typeof ServiceUptime>

export const Place = Type.Object({ id: uuid, tool: Type.String(), name: Type.String() })
export type Place = Of<typeof Place>

export const Preview = Type.Object({
  fate: oneOf(['opens', 'joins', 'nothing']),
  sentence: Type.String(),
  /** The open one that it would join. */
  incident: nullable(incidentKey),
  at: timestamp,
})
export type Preview = Of<typeof Preview>

/** An id in a query, where nothing but the pattern is checked. */
export const rowId = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  examples: ['0198c1f2-7d3a-7b1e-9a55-0d6f2b1c4e77'],
})

const theService = Type.Object({ service: rowId })
const name = Type.String({ minLength: 1, maxLength: maxNameLength })
const repositories = Type.Array(Repository, { maxItems: maxRepositories })

export const reads = {
  'services.list': operation(
    Type.Object({ team: Type.Optional(teamSlug) }),
    Type.Object({ data: Type.Array(ServiceRow) }),
  ),
  'services.read': operation(theService, ServiceRow),
  /** Of all services, or of one. */
  'services.activity': operation(
    Type.Object({ service: Type.Optional(rowId) }),
    Type.Object({ data: Type.Array(ServiceActivity) }),
  ),
  'services.uptime': operation(theService, Type.Object({ data: Type.Array(ServiceUptime) })),
  /** Chat places of its team, and whether there is a chat tool at all, and a mail server. */
  'services.places': operation(
    theService,
    Type.Object({ data: Type.Array(Place), chat: Type.Boolean(), mail: Type.Boolean() }),
  ),
  /** Whether an alert of this severity would open an incident: now, or at a moment. */
  'services.preview': operation(
    Type.Object({
      service: rowId,
      severity: oneOf(severities),
      at: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; without it, now' })),
    }),
    Preview,
  ),
} satisfies Operations

export const writes = {
  'services.create': operation(
    Type.Object(
      { name, team: teamSlug, repositories: Type.Optional(repositories) },
      { additionalProperties: false },
    ),
    Service,
  ),
  'services.change': operation(
    Type.Object(
      {
        service: uuid,
        name: Type.Optional(name),
        repositories: Type.Optional(repositories),
        settings: Type.Optional(Type.Partial(OnCallSettings, { additionalProperties: false })),
      },
      { additionalProperties: false },
    ),
    Service,
  ),
  'services.delete': proven(
    operation(Type.Object({ service: uuid }, { additionalProperties: false }), Type.Null()),
  ),
} satisfies Operations
