import { Type } from 'typebox'
import { decisionKinds, decisionStatuses } from './decision.ts'
import { decisionKey, runKey, storyKey, teamSlug } from './keys.ts'
import { cursor, limit } from './page.ts'
import { SecondReview } from './second-review.ts'
import { cents, nullable, type Of, oneOf, timestamp } from './shapes.ts'
import { executor } from './team.ts'

export const runStatuses = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timed_out',
  'stopped',
] as const
export const runStages = ['planning', 'implementing', 'verifying', 'handing_off'] as const
export const failureClasses = ['transient', 'persistent', 'policy', 'budget', 'gate', 'dependency'] as const

const status = oneOf(runStatuses)
const stage = oneOf(runStages)
const failureClass = nullable(oneOf(failureClasses))

const listed = {
  key: runKey,
  team: teamSlug,
  story: Type.Object({ key: storyKey, title: Type.String() }, { additionalProperties: false }),
  status,
  stage,
  executor,
  attempts: Type.Integer({ description: 'number of attempts' }),
  costCents: Type.Integer({ description: 'cost of all attempts, euro cents' }),
  budgetCents: Type.Integer({ description: 'run budget, euro cents' }),
  failureClass,
  pullRequest: nullable(
    Type.Object({ url: Type.String(), number: Type.Integer() }, { additionalProperties: false }),
  ),
  startedAt: nullable(timestamp),
  completedAt: nullable(timestamp),
  createdAt: timestamp,
}

export const RunListed = Type.Object(listed, {
  $id: 'RunListed',
  title: 'Run, as a list element',
  description: 'status and stage are those of the latest attempt',
  additionalProperties: false,
})
export type RunListed = Of<typeof RunListed>

export const gateResults = ['passed', 'failed', 'skipped'] as const

export const Gate = Type.Object(
  { name: Type.String(), result: oneOf(gateResults), summary: Type.String() },
  { $id: 'Gate', additionalProperties: false },
)
export type Gate = Of<typeof Gate>

/** What an attempt's verification found; null until the gates have run. */
export const Verification = Type.Object(
  { result: oneOf(['passed', 'failed']), gates: Type.Array(Gate), verifiedAt: timestamp },
  { $id: 'Verification', additionalProperties: false },
)
export type Verification = Of<typeof Verification>

export const Attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1 }),
    status,
    stage,
    executor,
    costCents: cents,
    failureClass,
    error: nullable(Type.String()),
    verification: nullable(Verification),
    startedAt: nullable(timestamp),
    completedAt: nullable(timestamp),
  },
  { $id: 'Attempt', additionalProperties: false },
)
export type Attempt = Of<typeof Attempt>

/** The proof a run hands over: which gates ran on which commit, what changed, what each criterion showed. */
export const Evidence = Type.Object(
  {
    commit: Type.String(),
    gates: Type.Array(Gate),
    criteria: Type.Array(
      Type.Object(
        { id: Type.String(), result: oneOf(gateResults), proof: Type.String() },
        { additionalProperties: false },
      ),
    ),
    changes: Type.Object(
      {
        files: Type.Integer(),
        additions: Type.Integer(),
        deletions: Type.Integer(),
        paths: Type.Array(Type.String()),
      },
      { additionalProperties: false },
    ),
    demonstration: nullable(Type.String({ description: 'what the Demonstrate step showed' })),
    repositories: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String(),
            commit: Type.String(),
            files: Type.Integer(),
            additions: Type.Integer(),
            deletions: Type.Integer(),
          },
          { additionalProperties: false },
        ),
        { description: 'of a run in several repositories: those that it changed, by name' },
      ),
    ),
    /** Left out: the policy wants none, or a gate failed before. */
    secondReview: Type.Optional(SecondReview),
    collectedAt: timestamp,
  },
  { $id: 'Evidence', title: 'Evidence pack', additionalProperties: false },
)
export type Evidence = Of<typeof Evidence>

export const Run = Type.Object(
  {
    ...listed,
    attemptList: Type.Array(Attempt),
    evidence: nullable(Evidence),
    decisions: Type.Array(
      Type.Object(
        { key: decisionKey, kind: oneOf(decisionKinds), status: oneOf(decisionStatuses) },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'Run', additionalProperties: false },
)
export type Run = Of<typeof Run>

export const RunQuery = Type.Object({
  team: Type.Optional(teamSlug),
  story: Type.Optional(storyKey),
  limit: Type.Optional(limit),
  cursor: Type.Optional(cursor),
})
export type RunQuery = Of<typeof RunQuery>
