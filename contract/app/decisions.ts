import { Type } from 'typebox'
import {
  Decision,
  DecisionAnswer,
  DecisionEffect,
  decisionKinds,
  decisionStatuses,
  ResolvedDecision,
} from '../decision.ts'
import { decisionKey, incidentKey, runKey, teamSlug } from '../keys.ts'
import { cursor, defaultPageSize, pageOf } from '../page.ts'
import { presences } from '../presence.ts'
import { RunListed } from '../run.ts'
import { cents, nullable, type Of, oneOf, timestamp } from '../shapes.ts'
import { AcceptanceCriterion } from '../story.ts'
import { type Operations, operation } from './operation.ts'
import { Diff, Race } from './runs.ts'

const { body, options, recommendation, ...listed } = Decision.properties

/** A decision as a row of the inbox: what it is, who answered, and what is at stake. Its text comes with its page. */
export const DecisionRow = Type.Object({
  ...listed,
  resolvedBy: nullable(Type.String({ description: 'name of the person who answered' })),
  resolvedPresence: nullable(oneOf(presences, 'how the person who answered was there; null: not known')),
  incident: nullable(incidentKey),
  snoozedUntil: nullable(timestamp),
  recommended: Type.String({ description: 'label of the recommended option' }),
  run: nullable(Type.Object({ costCents: cents, budgetCents: cents })),
})
export type DecisionRow = Of<typeof DecisionRow>

/** A decision as it is read and answered. */
export const DecisionInFull = Type.Object({ ...DecisionRow.properties, body, options, recommendation })
export type DecisionInFull = Of<typeof DecisionInFull>

/** A decision with everything that is looked at before it is answered, or after. */
export const DecisionPage = Type.Object({
  decision: DecisionInFull,
  consequences: Type.Array(Type.Object({ optionId: Type.String(), sentence: Type.String() }), {
    description: 'what each option would do, for this decision as it stands',
  }),
  forbidden: nullable(Type.String({ description: 'why the reader may not answer; null: they may' })),
  numbers: Type.Array(Type.Object({ label: Type.String(), value: Type.String() }), {
    description: 'what the answer is weighed by',
  }),
  criteria: Type.Array(AcceptanceCriterion),
  run: nullable(
    Type.Object({
      key: runKey,
      status: RunListed.properties.status,
      stage: RunListed.properties.stage,
      executor: RunListed.properties.executor,
      attempts: RunListed.properties.attempts,
      costCents: cents,
      budgetCents: cents,
      pullRequest: RunListed.properties.pullRequest,
    }),
  ),
  race: nullable(Race),
  changesOf: nullable(
    Type.String({ description: 'the run whose change is decided about, where one made it' }),
  ),
  diff: nullable(Diff),
  others: Type.Array(
    Type.Object({
      key: decisionKey,
      kind: oneOf(decisionKinds),
      title: Type.String(),
      status: oneOf(decisionStatuses),
      answer: nullable(Type.String({ description: 'label of the chosen option' })),
      createdAt: timestamp,
    }),
    { description: 'the other decisions of the run, newest first' },
  ),
  effects: Type.Array(Type.Omit(DecisionEffect, ['message']), {
    description: 'the steps that the answer led to',
  }),
})
export type DecisionPage = Of<typeof DecisionPage>

export const precedentOutcomes = ['merged', 'reverted', 'incident', 'failed', 'stopped', 'open'] as const

/** How the same question was answered before, and with which result. */
export const Precedent = Type.Object({
  key: decisionKey,
  title: Type.String(),
  optionId: Type.String(),
  answer: Type.String({ description: 'label of the chosen option' }),
  note: nullable(Type.String()),
  answeredBy: nullable(Type.String({ description: 'name of the person who answered' })),
  answeredAt: timestamp,
  outcome: nullable(
    oneOf(
      precedentOutcomes,
      'what came of its run, where it has one; `incident`: an incident points to its merge',
    ),
  ),
  commonPaths: Type.Array(Type.String(), { description: 'files that both changes touch' }),
})
export type Precedent = Of<typeof Precedent>

export const Precedents = Type.Object({
  similar: Type.Integer({
    description: 'how many of the last answers in this team were about something similar',
  }),
  answers: Type.Array(Type.Object({ answer: Type.String(), count: Type.Integer() }), {
    description: 'what those were answered with, the most frequent first',
  }),
  closest: Type.Array(Precedent, { description: 'the most similar ones, at most three' }),
})
export type Precedents = Of<typeof Precedents>

/** What waits in one person's inbox: without what they have snoozed. */
export const DecisionCount = Type.Object({
  pending: Type.Integer(),
  mine: Type.Integer({ description: 'of those, what the person who asks may answer' }),
  snoozed: Type.Integer(),
  wakesAt: nullable(Type.String({ format: 'date-time', description: 'when the next snoozed one is back' })),
  teams: Type.Array(Type.Object({ slug: teamSlug, name: Type.String(), pending: Type.Integer() })),
  kinds: Type.Array(Type.Object({ kind: oneOf(decisionKinds), pending: Type.Integer() })),
})
export type DecisionCount = Of<typeof DecisionCount>

export const reads = {
  /** Pending ones: what expires first stands first, then the oldest. Otherwise newest first. */
  'decisions.list': operation(
    Type.Object({
      status: Type.Optional(oneOf(decisionStatuses)),
      team: Type.Optional(teamSlug),
      kind: Type.Optional(oneOf(decisionKinds)),
      run: Type.Optional(runKey),
      /** Only those that the person who asks has snoozed, or only the others. */
      snoozed: Type.Optional(Type.Boolean()),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: `Page size, ${defaultPageSize} unless given.` }),
      ),
      cursor: Type.Optional(cursor),
    }),
    pageOf(DecisionRow),
  ),
  'decisions.count': operation(Type.Object({}), DecisionCount),
  'decisions.read': operation(Type.Object({ key: decisionKey }), DecisionPage),
  'decisions.precedents': operation(Type.Object({ key: decisionKey }), Precedents),
} satisfies Operations

export const writes = {
  'decisions.resolve': operation(
    Type.Object({ key: decisionKey, ...DecisionAnswer.properties }, { additionalProperties: false }),
    ResolvedDecision,
  ),
  /** Out of one's own inbox until then. Nothing else changes. */
  'decisions.snooze': operation(
    Type.Object({ key: decisionKey, until: timestamp }, { additionalProperties: false }),
    Type.Null(),
  ),
  'decisions.unsnooze': operation(
    Type.Object({ key: decisionKey }, { additionalProperties: false }),
    Type.Null(),
  ),
} satisfies Operations
