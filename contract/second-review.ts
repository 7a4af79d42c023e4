import { Type } from 'typebox'
import { reviewSeverities } from './reviewers.ts'
import { nullable, type Of, oneOf } from './shapes.ts'
import { executor, executors } from './team.ts'

/** A second pair of eyes: another coding agent reads a change that has passed its gates, and says what it finds. */

const model = nullable(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'null: the one that the runner uses for the agent',
  }),
)

export const SecondReviewSettings = Type.Object(
  {
    by: oneOf(
      ['off', 'another_vendor', ...executors],
      'the reviewing agent; another_vendor: one whose vendor is not that of the agent that wrote the change',
    ),
    model,
    holdsMerge: Type.Boolean({
      description:
        'whether a person is asked before a merge when a finding is high or the change was not reviewed',
    }),
  },
  { additionalProperties: false },
)
export type SecondReviewSettings = Of<typeof SecondReviewSettings>

export const ReviewFinding = Type.Object(
  {
    severity: oneOf(reviewSeverities),
    file: nullable(Type.String({ minLength: 1, maxLength: 1_000, description: 'relative to the root' })),
    line: nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
    says: Type.String({ minLength: 1, maxLength: 1_000 }),
  },
  { additionalProperties: false },
)
export type ReviewFinding = Of<typeof ReviewFinding>

/** How many findings one review may have. */
export const mostReviewFindings = 50
/** Of a run in several repositories, one review for each. */
const mostReviews = 20

export const SecondReview = Type.Object(
  {
    result: oneOf(
      ['reviewed', 'not_reviewed', 'unreadable'],
      'unreadable: the agent answered, and the answer could not be used',
    ),
    agent: nullable(executor),
    model,
    says: nullable(
      Type.String({ maxLength: 2_000, description: 'why there is no review, or what to know of it' }),
    ),
    findings: Type.Array(ReviewFinding, { maxItems: mostReviewFindings * mostReviews }),
  },
  { additionalProperties: false, description: 'what another coding agent found in the change; no gate' },
)
export type SecondReview = Of<typeof SecondReview>
