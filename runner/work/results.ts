import { SurveyProposal } from '@signalbox/contract/runner/messages.ts'
import { mostReviewFindings, ReviewFinding } from '@signalbox/contract/second-review.ts'
import type { Of } from '@signalbox/contract/shapes.ts'
import { type TSchema, Type } from 'typebox'
import { Check, Clean, Errors } from 'typebox/value'
import { readResult } from '../agents/result.ts'

/** What an agent leaves in its result folder, the same for every agent. */

export const Plan = Type.Object({
  /** Markdown: what is to be done, step by step. */
  plan: Type.String({ minLength: 1, maxLength: 100_000 }),
  /** What will be changed, relative to the root. */
  paths: Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: 2_000 }),
  risk: Type.Enum(['low', 'high']),
  /** About how many lines the change will have. */
  lines: Type.Integer({ minimum: 0 }),
})
export type Plan = Of<typeof Plan>

/** The plan no longer fits what was found: another scope is proposed, and a person decides. */
export const Scope = Type.Object({
  plan: Type.String({ minLength: 1, maxLength: 100_000 }),
  change: Type.String({ minLength: 1, maxLength: 20_000 }),
})
export type Scope = Of<typeof Scope>

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const { story } = SurveyProposal.properties
const { description, acceptanceCriteria, demonstrate, size, complexity } = story.anyOf[0].properties

/** What a survey found worth a story. An agent may leave out of a story what it does not know. */
export const Proposals = Type.Object({
  proposals: Type.Array(
    Type.Object({
      kind: SurveyProposal.properties.kind,
      fingerprint: text(1_000),
      title: SurveyProposal.properties.title,
      body: SurveyProposal.properties.body,
      story: Type.Optional(
        Type.Union([
          Type.Object({
            description: Type.Optional(description),
            acceptanceCriteria: Type.Optional(acceptanceCriteria),
            demonstrate: Type.Optional(demonstrate),
            size: Type.Optional(size),
            complexity: Type.Optional(complexity),
          }),
          Type.Null(),
        ]),
      ),
    }),
    { maxItems: 50 },
  ),
})
export type Proposals = Of<typeof Proposals>

/** What a reviewer found; strictly this, and no more of it than anyone reads. */
export const Review = Type.Object({
  findings: Type.Array(ReviewFinding, { maxItems: mostReviewFindings }),
})
export type Review = Of<typeof Review>

export type Left<T> = { found: T } | { missing: true } | { wrong: string }

/** A result as JSON of a known shape. */
export function leftBehind<S extends TSchema>(folder: string, name: string, schema: S): Left<Of<S>> {
  const text = readResult(folder, name)
  if (text === null) return { missing: true }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { wrong: `${name} is not JSON.` }
  }
  // What else an agent has written there would go further with it: into a report, and over its type.
  if (Check(schema, value)) return { found: Clean(schema, value) as Of<S> }
  const [error] = Errors(schema, value)
  return {
    wrong: `${name}: ${error ? `${error.instancePath} ${error.message}`.trim() : 'unexpected content'}.`,
  }
}
