import { Type } from 'typebox'
import { requirementSlug, storyKey, teamSlug } from '../keys.ts'
import { maxNoteLength, maxRequirementLength } from '../limits.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { ClarifyingQuestion, maxQuestions, requirementStatuses } from '../requirement.ts'
import { nullable, type Of, oneOf, timestamp } from '../shapes.ts'
import { AcceptanceCriterion, classesOfService, complexities, sizes } from '../story.ts'
import { type Operations, operation } from './operation.ts'

const closed = { additionalProperties: false }

/** A requirement in a list, with how far it has come. */
export const RequirementRow = Type.Object({
  slug: requirementSlug,
  team: teamSlug,
  opening: Type.String({ description: 'its first words' }),
  status: oneOf(requirementStatuses),
  openQuestions: Type.Integer(),
  drafts: Type.Integer({ description: 'that wait to be approved or rejected' }),
  ready: Type.Integer({ description: 'of these, how many can be approved as they are' }),
  approved: Type.Integer({ description: 'approved, not written yet' }),
  written: Type.Integer({ description: 'in the tracker, or stories here where none is connected' }),
  submittedBy: nullable(Type.String({ description: 'null when the product itself submitted it' })),
  createdAt: timestamp,
})
export type RequirementRow = Of<typeof RequirementRow>

export const draftStates = ['draft', 'approved', 'writing', 'failing', 'written'] as const

/** A story that came from a requirement, as the reviewer sees it. */
export const Draft = Type.Object({
  key: storyKey,
  title: Type.String(),
  description: Type.String({ description: 'Markdown' }),
  acceptanceCriteria: Type.Array(AcceptanceCriterion),
  demonstrate: nullable(Type.String({ description: 'Markdown' })),
  testPlan: nullable(Type.String({ description: 'Markdown' })),
  size: nullable(oneOf(sizes)),
  complexity: nullable(oneOf(complexities)),
  classOfService: oneOf(classesOfService),
  readinessScore: Type.Integer(),
  missing: Type.Array(Type.String(), { description: 'what is missing to 100' }),
  state: oneOf(draftStates, 'writing: the tracker is being asked; failing: it refused, and is asked again'),
  tracker: nullable(Type.Object({ platform: Type.String(), key: Type.String(), url: Type.String() })),
  failure: nullable(
    Type.Object({
      message: Type.String(),
      attempts: Type.Integer(),
      nextAt: nullable(timestamp),
    }),
  ),
  updatedAt: timestamp,
})
export type Draft = Of<typeof Draft>

export const RequirementPage = Type.Object({
  slug: requirementSlug,
  team: teamSlug,
  text: Type.String(),
  status: oneOf(requirementStatuses),
  questions: Type.Array(ClarifyingQuestion),
  notes: Type.Array(Type.String()),
  submittedBy: nullable(Type.String()),
  hasTracker: Type.Boolean({
    description: 'whether approved drafts become issues; otherwise they become stories here',
  }),
  drafts: Type.Array(Draft, { description: 'without rejected ones' }),
  createdAt: timestamp,
})
export type RequirementPage = Of<typeof RequirementPage>

export const reads = {
  /** Of the team, or of all, newest first. */
  'requirements.list': operation(
    Type.Object({
      team: Type.Optional(teamSlug),
      status: Type.Optional(oneOf(requirementStatuses)),
      limit: Type.Optional(limit),
      cursor: Type.Optional(cursor),
    }),
    pageOf(RequirementRow),
  ),
  'requirements.read': operation(Type.Object({ slug: requirementSlug }), RequirementPage),
} satisfies Operations

export const writes = {
  'requirements.submit': operation(
    Type.Object({ team: teamSlug, text: Type.String({ maxLength: maxRequirementLength }) }, closed),
    Type.Object({ slug: requirementSlug }),
  ),
  /** Those that are given; with the last answer the stories are drafted. */
  'requirements.answer': operation(
    Type.Object(
      {
        slug: requirementSlug,
        answers: Type.Array(Type.Object({ id: Type.String(), answer: Type.String() }, closed), {
          maxItems: maxQuestions,
        }),
      },
      closed,
    ),
    Type.Object({ status: oneOf(requirementStatuses) }),
  ),
  'requirements.approveDraft': operation(Type.Object({ key: storyKey }, closed), Type.Null()),
  'requirements.rejectDraft': operation(
    Type.Object({ key: storyKey, note: Type.Optional(Type.String({ maxLength: maxNoteLength })) }, closed),
    Type.Null(),
  ),
  /**
   * Has the approved stories written to the tracker, or made stories here without one; what becomes of each is read
   * with the requirement.
   */
  'requirements.write': operation(
    Type.Object({ slug: requirementSlug }, closed),
    Type.Object({ keys: Type.Array(storyKey) }),
  ),
} satisfies Operations
