import { Type } from 'typebox'
import { decisionKinds, decisionStatuses } from '../decision.ts'
import { AlertRecord, Incident, IncidentListed, incidentStatuses } from '../incident.ts'
import { decisionKey, incidentKey, runKey, storyKey } from '../keys.ts'
import { maxNoteLength } from '../limits.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { severities } from '../signal.ts'
import { sourceKinds } from '../source.ts'
import { type Operations, operation } from './operation.ts'
import { rowId } from './services.ts'

const text = Type.String()

/** An alert with where it came from. */
export const AlertRow = Type.Object({
  ...AlertRecord.properties,
  id: uuid,
  firstAt: timestamp,
  isTest: Type.Boolean(),
  source: Type.Object({ id: uuid, name: text, kind: oneOf(sourceKinds) }),
})
export type AlertRow = Of<typeof AlertRow>

/** What the investigation found; see the manual for how it weighs. */
const Finding = Type.Object({
  outcome: oneOf(['suspect_merge', 'code', 'not_code', 'unknown']),
  confidence: Type.Number(),
  evidence: Type.Array(text),
  suspect: nullable(
    Type.Object({
      commit: text,
      mergedAt: timestamp,
      author: text,
      title: text,
      paths: Type.Array(text),
      pullRequest: nullable(Type.Integer()),
      repository: nullable(text),
      run: nullable(runKey),
    }),
  ),
  summary: text,
})

export const IncidentStep = Type.Object({
  at: timestamp,
  type: text,
  text,
  /** The person, where it was one. */
  by: nullable(text),
  decision: nullable(decisionKey),
  story: nullable(storyKey),
})
export type IncidentStep = Of<typeof IncidentStep>

/**
 * Someone or some place that was told: a member in the app, by mail or by push, a place by a post. In the app, `sent`
 * is there to be seen and `shown` was on a screen. `waiting` is tried again, `dropped` is not wanted any more.
 */
export const IncidentNotification = Type.Object({
  by: oneOf(['app', 'mail', 'push', 'post']),
  to: text,
  what: oneOf(['opened', 'found', 'updated', 'resolved']),
  state: oneOf(['shown', 'sent', 'refused', 'waiting', 'dropped']),
  attempts: Type.Integer(),
  error: nullable(text),
  at: timestamp,
})
export type IncidentNotification = Of<typeof IncidentNotification>

const { finding: _, alertList: __, timeline: ___, decisions: ____, ...facts } = Incident.properties

export const IncidentPage = Type.Object({
  ...facts,
  observeOnly: Type.Boolean(),
  serviceDeleted: Type.Boolean(),
  /** Who resolved it by hand, and why. */
  resolution: nullable(Type.Object({ by: text, reason: text })),
  /** Who last declined a fix for the same alerts, here or in an earlier incident. */
  declined: nullable(Type.Object({ decision: decisionKey, by: nullable(text), at: timestamp })),
  finding: nullable(Finding),
  alertList: Type.Array(AlertRow, { description: 'the newest hundred' }),
  timeline: Type.Array(IncidentStep),
  decisions: Type.Array(
    Type.Object({
      key: decisionKey,
      kind: oneOf(decisionKinds),
      title: text,
      status: oneOf(decisionStatuses),
      answer: nullable(text),
      by: nullable(text),
      createdAt: timestamp,
      resolvedAt: nullable(timestamp),
    }),
  ),
  stories: Type.Array(Type.Object({ key: storyKey, title: text, column: text })),
  runs: Type.Array(Type.Object({ key: runKey, story: storyKey, phase: text })),
  // Pages that were open before an upgrade read it by this name.
  tellings: Type.Array(IncidentNotification),
})
export type IncidentPage = Of<typeof IncidentPage>

/** How often the alerts of an incident were reported as firing while it was open, in equal parts of that time. */
export const AlertActivity = Type.Object({
  from: timestamp,
  to: timestamp,
  counts: Type.Array(Type.Integer()),
  isCut: Type.Boolean({ description: 'there was more than is counted; the newest is' }),
})
export type AlertActivity = Of<typeof AlertActivity>

export const reads = {
  'incidents.list': operation(
    Type.Object({
      status: Type.Optional(oneOf(incidentStatuses)),
      service: Type.Optional(rowId),
      severity: Type.Optional(oneOf(severities)),
      limit: Type.Optional(limit),
      cursor: Type.Optional(cursor),
    }),
    pageOf(IncidentListed),
  ),
  'incidents.count': operation(Type.Object({}), Type.Object({ open: Type.Integer() })),
  'incidents.read': operation(Type.Object({ incident: incidentKey }), IncidentPage),
  'incidents.activity': operation(Type.Object({ incident: incidentKey }), AlertActivity),
} satisfies Operations

const only = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object({ incident: incidentKey, ...properties }, { additionalProperties: false })
const words = Type.String({ minLength: 1, maxLength: maxNoteLength })

/** `from` is what the person saw, so that a change by someone else is not overwritten unseen. */
export const writes = {
  'incidents.acknowledge': operation(only({}), Type.Null()),
  'incidents.take': operation(only({ from: nullable(uuid) }), Type.Null()),
  'incidents.changeSeverity': operation(
    only({ from: oneOf(severities), severity: oneOf(severities) }),
    Type.Null(),
  ),
  'incidents.resolve': operation(only({ reason: words }), Type.Null()),
  'incidents.askAnyway': operation(only({}), Type.Object({ decision: decisionKey })),
  'incidents.note': operation(only({ text: words }), Type.Null()),
} satisfies Operations
