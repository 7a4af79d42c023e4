import { Type } from 'typebox'
import { answerChannels } from '../decision.ts'
import { teamSlug } from '../keys.ts'
import { nullable, type Of, oneOf } from '../shapes.ts'
import { classesOfService, sizes } from '../story.ts'
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
  /** What may be spent, by the current policies, and what was spent today and this month. */
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

/** Runs by the day on which they began and by their outcome. */
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

/** What runs are compared by. The kind of a story is its class of service. */
export const scoreboardGroupings = ['agent', 'model', 'team', 'kind', 'size'] as const

/** Incidents need a week to show, and groups need many runs: a scoreboard of seven days would be empty. */
export const scoreboardRanges = ['30', '90', '365'] as const

const ScoreboardQuery = Type.Object({
  range: oneOf(scoreboardRanges),
  by: oneOf(scoreboardGroupings),
  team: Type.Optional(teamSlug),
  kind: Type.Optional(oneOf(classesOfService)),
  size: Type.Optional(oneOf(sizes)),
})
export type ScoreboardQuery = Of<typeof ScoreboardQuery>

/** A figure with the ends of its 95 % interval. */
const Estimate = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() })
export type Estimate = Of<typeof Estimate>

/** How many of how many; without an estimate where they are too few to compare. */
const Share = Type.Object({ count: Type.Integer(), of: Type.Integer(), estimate: nullable(Estimate) })
export type Share = Of<typeof Share>

const Score = Type.Object({
  /** An executor or `local`, a model, a slug, a class of service or a size; empty: it is not known. */
  group: Type.String(),
  /** Of a team. */
  name: nullable(Type.String()),
  /** Runs that have ended: merged, closed without a merge, failed, timed out or stopped. */
  finished: Type.Integer(),
  /** Still going on, or succeeded with a pull request that is open. */
  open: Type.Integer(),
  merged: Type.Integer(),
  /** Merged without a second attempt, of all that have ended. */
  withoutRework: Share,
  /** Merges for which a revert was opened. */
  reverted: Share,
  /** Merges that an investigation suspects of an incident within a week, of those that are a week old. */
  incidents: Share,
  /** Per merged story, from a question to its answer, in seconds. */
  waiting: nullable(Estimate),
  answers: Type.Integer({ description: 'by people, in merged runs' }),
  /** Per merged story, in millionths of a euro. */
  cost: nullable(Estimate),
  /** By all runs that have ended. */
  spentMicros: euroMicros,
  /** A few of those that were reverted, and of the incidents, newest first. */
  revertedRuns: Type.Array(Type.String()),
  incidentKeys: Type.Array(Type.String()),
})
export type Score = Of<typeof Score>

/** Runs that began in the range, side by side. */
export const Scoreboard = Type.Object({
  ...span,
  /** Under so many no figure is estimated. */
  fewest: Type.Integer(),
  scores: Type.Array(Score),
  /** All of them together; null: there are none. */
  all: nullable(Score),
})
export type Scoreboard = Of<typeof Scoreboard>

export const reads = {
  'insights.spend': operation(InsightsQuery, Spend),
  'insights.runs': operation(InsightsQuery, RunResults),
  'insights.waiting': operation(InsightsQuery, Waiting),
  'insights.rework': operation(InsightsQuery, Rework),
  'insights.scoreboard': operation(ScoreboardQuery, Scoreboard),
} satisfies Operations

export const writes = {} satisfies Operations
