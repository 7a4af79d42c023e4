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

/** A decision as a row of the inbox: all of it, who answered, and what is at stake. */
export const DecisionRow = Type.Object({
  ...Decision.properties,
  resolvedBy: nullable(Type.String({ description: 'name of the person who answered' })),
  resolvedPresence: nullable(oneOf(presences, 'how whoever answered was there; null: not known')),
  incident: nullable(incidentKey),
  run: nullable(Type.Object({ costCents: cents, budgetCents: cents })),
})
export type DecisionRow = Of<typeof DecisionRow>

/** A decision with everything that is looked at before it is answered, or after. */
export const DecisionPage = Type.Object({
  decision: DecisionRow,
  consequences: Type.Array(Type.Object({ optionId: Type.String(), sentence: Type.String() }), {
    description: 'what each option would do, for this decision as it stands',
  }),
  forbidden: nullable(Type.String({ description: 'why whoever asks may not answer; null: they may' })),
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
  changesOf: nullable(
    Type.String({ description: 'the run whose change is decided about, where one made it' }),
  ),
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

export const DecisionCount = Type.Object({
  pending: Type.Integer(),
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
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: `Page size, ${defaultPageSize} unless given.` }),
      ),
      cursor: Type.Optional(cursor),
    }),
    pageOf(DecisionRow),
  ),
  'decisions.count': operation(Type.Object({}), DecisionCount),
  'decisions.read': operation(Type.Object({ key: decisionKey }), DecisionPage),
} satisfies Operations

export const writes = {
  'decisions.resolve': operation(
    Type.Object({ key: decisionKey, ...DecisionAnswer.properties }, { additionalProperties: false }),
    ResolvedDecision,
  ),
} satisfies Operations
