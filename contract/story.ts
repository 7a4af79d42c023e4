import { Type } from 'typebox'
import { runKey, storyKey, teamSlug } from './keys.ts'
import { cursor, limit } from './page.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'

export const columnRoles = ['backlog', 'refining', 'ready', 'in_progress', 'review', 'done'] as const
export const sizes = ['xs', 's', 'm', 'l', 'xl'] as const
export const complexities = ['low', 'medium', 'high'] as const
export const classesOfService = ['expedite', 'fixed_date', 'standard', 'intangible'] as const
export const criterionStatuses = ['unverified', 'passed', 'failed'] as const

export const AcceptanceCriterion = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    status: oneOf(criterionStatuses),
    verifiedAt: nullable(timestamp),
  },
  { $id: 'AcceptanceCriterion', additionalProperties: false },
)
export type AcceptanceCriterion = Of<typeof AcceptanceCriterion>

const listed = {
  id: uuid,
  key: storyKey,
  title: Type.String(),
  team: teamSlug,
  column: Type.Object(
    { id: uuid, name: Type.String(), role: oneOf(columnRoles) },
    { additionalProperties: false },
  ),
  draft: Type.Boolean({ description: 'true for a draft story not yet approved' }),
  readinessScore: Type.Number({ minimum: 0, maximum: 100, description: '100 means ready' }),
  size: nullable(oneOf(sizes)),
  complexity: nullable(oneOf(complexities)),
  classOfService: oneOf(classesOfService),
  tracker: nullable(
    Type.Object(
      { platform: Type.String(), key: Type.String(), url: Type.String() },
      { additionalProperties: false },
    ),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
}

export const StoryListed = Type.Object(listed, {
  $id: 'StoryListed',
  title: 'Story, as a list element',
  additionalProperties: false,
})
export type StoryListed = Of<typeof StoryListed>

export const Story = Type.Object(
  {
    ...listed,
    description: Type.String({ description: 'Markdown' }),
    acceptanceCriteria: Type.Array(AcceptanceCriterion),
    runKeys: Type.Array(runKey, { description: 'newest first' }),
  },
  { $id: 'Story', additionalProperties: false },
)
export type Story = Of<typeof Story>

export const StoryQuery = Type.Object({
  limit: Type.Optional(limit),
  cursor: Type.Optional(cursor),
  drafts: Type.Optional(
    Type.Boolean({ description: 'true includes draft stories that are not approved yet' }),
  ),
})
export type StoryQuery = Of<typeof StoryQuery>
