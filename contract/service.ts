import { Type } from 'typebox'
import { teamSlug } from './keys.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'
import { severities } from './signal.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** When someone is on call: by the clock on the wall of a time zone. An end before the start is on the next day. */
export const OnCallHours = Type.Object(
  {
    days: Type.Array(oneOf(weekdays), { description: 'days on which a window begins' }),
    start: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['09:00'] }),
    end: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['17:00'] }),
    timeZone: Type.String({ description: 'IANA name, as in Europe/Oslo' }),
  },
  { $id: 'OnCallHours', additionalProperties: false },
)
export type OnCallHours = Of<typeof OnCallHours>

export const OnCallSettings = Type.Object(
  {
    observeOnly: Type.Boolean({
      description: 'incidents are investigated and reported, and nothing else is done',
    }),
    startFixes: Type.Boolean({ description: 'start urgent fixes without asking' }),
    updateAlerts: Type.Boolean({ description: 'acknowledge and resolve alerts in the source' }),
    lowestSeverity: oneOf(severities, 'the lowest severity that opens an incident'),
    hours: nullable(OnCallHours),
    notify: Type.Array(uuid, { description: 'members who are notified' }),
    places: nullable(
      Type.Array(uuid, { description: 'where incidents are posted; null: every place of the team' }),
    ),
  },
  { $id: 'OnCallSettings', additionalProperties: false },
)
export type OnCallSettings = Of<typeof OnCallSettings>

export const Repository = Type.Object(
  {
    url: Type.String({ description: 'where it is cloned from' }),
    path: Type.String({ description: 'the folder of the service within it; empty for all of it' }),
  },
  { $id: 'Repository', additionalProperties: false },
)
export type Repository = Of<typeof Repository>

/** A monitored thing of the customer's, to which alerts belong. */
export const Service = Type.Object(
  {
    id: uuid,
    name: Type.String(),
    team: teamSlug,
    repositories: Type.Array(Repository),
    settings: OnCallSettings,
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { $id: 'Service', additionalProperties: false },
)
export type Service = Of<typeof Service>
