import { Type } from 'typebox'
import { decisionKey, incidentKey, teamSlug } from './keys.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'
import { Alert, severities } from './signal.ts'

export const incidentStatuses = ['open', 'resolved'] as const

const listed = {
  key: incidentKey,
  title: Type.String(),
  severity: oneOf(severities, 'the highest of its alerts, unless a person has set another'),
  status: oneOf(incidentStatuses),
  service: Type.Object({ id: uuid, name: Type.String() }, { additionalProperties: false }),
  team: teamSlug,
  /** Who has taken it. */
  assignee: nullable(Type.Object({ id: uuid, name: Type.String() }, { additionalProperties: false })),
  acknowledged: nullable(Type.Object({ by: Type.String(), at: timestamp }, { additionalProperties: false })),
  alerts: Type.Integer({ description: 'how many alerts belong to it' }),
  openedAt: timestamp,
  resolvedAt: nullable(timestamp),
}

export const IncidentListed = Type.Object(listed, {
  $id: 'IncidentListed',
  title: 'Incident, as a list element',
  additionalProperties: false,
})
export type IncidentListed = Of<typeof IncidentListed>

/** An alert with its outcome. */
export const AlertRecord = Type.Object(
  {
    ...Alert.properties,
    count: Type.Integer({ description: 'deliveries that reported it' }),
    reason: nullable(Type.String({ description: 'why it opened no incident; null when it is in one' })),
    incident: nullable(incidentKey),
    lastAt: timestamp,
  },
  { $id: 'AlertRecord', additionalProperties: false },
)
export type AlertRecord = Of<typeof AlertRecord>

export const Incident = Type.Object(
  {
    ...listed,
    finding: nullable(Type.Unknown({ description: 'what the investigation found' })),
    alertList: Type.Array(AlertRecord, { description: 'the newest hundred' }),
    timeline: Type.Array(
      Type.Object(
        { at: timestamp, type: Type.String(), text: Type.String() },
        { additionalProperties: false },
      ),
    ),
    decisions: Type.Array(decisionKey),
  },
  { $id: 'Incident', additionalProperties: false },
)
export type Incident = Of<typeof Incident>
