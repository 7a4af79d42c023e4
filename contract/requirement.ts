import { Type } from 'typebox'
import { requirementSlug, storyKey, teamSlug } from './keys.ts'
import { maxRequirementLength } from './limits.ts'
import { nullable, type Of, oneOf, timestamp } from './shapes.ts'

export const maxQuestions = 3

export const requirementStatuses = ['clarifying', 'drafted', 'closed'] as const

/** Asked before anything is drafted, when a requirement is vague. */
export const ClarifyingQuestion = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    answer: nullable(Type.String({ description: 'null until someone gives one' })),
  },
  { $id: 'ClarifyingQuestion', additionalProperties: false },
)
export type ClarifyingQuestion = Of<typeof ClarifyingQuestion>

/** What a person wants, in their own words, and the draft stories that came from it. */
export const Requirement = Type.Object(
  {
    slug: requirementSlug,
    team: teamSlug,
    text: Type.String({ maxLength: maxRequirementLength }),
    status: oneOf(
      requirementStatuses,
      'clarifying: its questions wait for answers; drafted: its drafts wait to be approved, rejected or written; closed: nothing is left to do',
    ),
    questions: Type.Array(ClarifyingQuestion, { maxItems: maxQuestions }),
    notes: Type.Array(Type.String(), { description: 'what could not be done while it was drafted' }),
    drafts: Type.Array(storyKey, { description: 'stories drafted from it, without rejected ones' }),
    createdAt: timestamp,
  },
  { $id: 'Requirement', additionalProperties: false },
)
export type Requirement = Of<typeof Requirement>
