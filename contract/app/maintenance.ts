import { Type } from 'typebox'
import { runKey, teamSlug } from '../keys.ts'
import { cents, nullable, type Of, oneOf, timestamp } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'
import { PresetSettings } from './policies.ts'

const count = Type.Integer({ minimum: 0 })

/** One look at a team's repository. */
export const SurveyRow = Type.Object({
  key: runKey,
  /** `offered`: it waits for a runner; `taken`: a runner has it. */
  status: oneOf(['offered', 'taken', 'succeeded', 'failed', 'stopped']),
  /** By name; null: the schedule did. */
  startedBy: nullable(Type.String()),
  /** Which of the team's repositories; null: its first, before there could be several. */
  repository: nullable(Type.String()),
  /** What was looked at; null until it is known. */
  commit: nullable(Type.String()),
  proposals: count,
  /** Found, and known already or of no use. */
  leftOut: count,
  /** What the agent changed although it was only to look. */
  touched: Type.Array(Type.String()),
  costCents: cents,
  budgetCents: cents,
  attempts: count,
  /** The runner that has it or had it last. */
  runner: nullable(Type.String()),
  error: nullable(Type.String()),
  startedAt: timestamp,
  endedAt: nullable(timestamp),
})
export type SurveyRow = Of<typeof SurveyRow>

export const MaintenancePage = Type.Object({
  /** null: the team has no policy. */
  settings: nullable(PresetSettings.properties.maintenance),
  /** What surveys have cost in this month of UTC. */
  spentMonthCents: cents,
  /** null: there is no schedule. In the past: it is due, and `obstacle` says what keeps it. */
  nextAt: nullable(timestamp),
  /** Why none can start now; null: one can. */
  obstacle: nullable(Type.String()),
  /** Newest first. */
  surveys: Type.Array(SurveyRow),
})
export type MaintenancePage = Of<typeof MaintenancePage>

const theTeam = Type.Object({ team: teamSlug }, { additionalProperties: false })

export const reads = {
  'maintenance.read': operation(Type.Object({ team: teamSlug }), MaintenancePage),
} satisfies Operations

export const writes = {
  'maintenance.start': operation(theTeam, Type.Object({ key: runKey })),
  'maintenance.stop': operation(theTeam, Type.Null()),
} satisfies Operations
