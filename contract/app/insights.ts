import { Type } from 'typebox'
import { answerChannels } from '../decision.ts'
import { teamSlug } from '../keys.ts'
import { nullable, type Of, oneOf } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

/** Days back, today included. Days are UTC. */
export const ranges = ['7', '30', '90'] as const

const InsightsQuery = Type.Object({ range: oneOf(ranges), team: Type.Optional(teamSlug) })
export type InsightsQuery = Of<typeof InsightsQuery>

const day = Type.String({ format: 'date', description: 'a day in UTC' })
/** First and last day of the range; days without facts are not listed. */
const span = { from: day, to: day }
const euroMicros = Type.Integer({ description: 'millionths of a euro' })
const seconds = Type.Integer()

export const Spend = Type.Object({
  ...span,
  days: Type.Array(Type.Object({ day, team: teamSlug, micros: euroMicros })),
  /** What may be spent, by the policies in force, and what was spent today and this month. */
  teams: Type.Array(
    Type.Object({
      slug: teamSlug,
      name: Type.String(),
      dayCents: nullable(Type.Integer()),
      monthCents: nullable(Type.Integer()),
      dayMicros: euroMicros,
      monthMicros: euroMicros,
    }),
  ),
})
export type Spend = Of<typeof Spend>

/** Runs by the day on which they began and by what has become of them. */
export const RunResults = Type.Object({
  ...span,
  days: Type.Array(
    Type.Object({
      day,
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      timedOut: Type.Integer(),
      stopped: Type.Integer(),
      open: Type.Integer({ description: 'not ended yet' }),
    }),
  ),
})
export type RunResults = Of<typeof RunResults>

/** Decisions by the day on which they were raised: how long people took, and where they answered. */
export const Waiting = Type.Object({
  ...span,
  days: Type.Array(Type.Object({ day, channel: oneOf(answerChannels), answered: Type.Integer() })),
  channels: Type.Array(
    Type.Object({
      channel: oneOf(answerChannels),
      answered: Type.Integer(),
      medianSeconds: seconds,
      totalSeconds: seconds,
    }),
  ),
  answered: Type.Integer(),
  /** Null when nothing was answered. */
  medianSeconds: nullable(seconds),
  totalSeconds: seconds,
  stillWaiting: Type.Integer(),
})
export type Waiting = Of<typeof Waiting>

/** Runs by the day on which they began: how many needed more than one attempt. */
export const Rework = Type.Object({
  ...span,
  days: Type.Array(Type.Object({ day, runs: Type.Integer(), again: Type.Integer() })),
})
export type Rework = Of<typeof Rework>

export const reads = {
  'insights.spend': operation(InsightsQuery, Spend),
  'insights.runs': operation(InsightsQuery, RunResults),
  'insights.waiting': operation(InsightsQuery, Waiting),
  'insights.rework': operation(InsightsQuery, Rework),
} satisfies Operations

export const writes = {} satisfies Operations
