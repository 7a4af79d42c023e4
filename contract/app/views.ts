import { Type } from 'typebox'
import { teamSlug } from '../keys.ts'
import { maxViewNameLength } from '../limits.ts'
import { type Of, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'
import { boardFilter } from './stories.ts'

export const ViewFilter = Type.Object(boardFilter, { additionalProperties: false })
export type ViewFilter = Of<typeof ViewFilter>

/** A board as one person has saved it, for themselves. */
export const StoryView = Type.Object({
  id: uuid,
  name: Type.String(),
  team: teamSlug,
  teamName: Type.String(),
  filter: ViewFilter,
})
export type StoryView = Of<typeof StoryView>

export const reads = {
  'views.list': operation(Type.Object({}), Type.Array(StoryView)),
} satisfies Operations

export const writes = {
  /** Replaces the one of that name. */
  'views.save': operation(
    Type.Object(
      {
        team: teamSlug,
        name: Type.String({ minLength: 1, maxLength: maxViewNameLength }),
        filter: ViewFilter,
      },
      { additionalProperties: false },
    ),
    Type.Object({ id: uuid }),
  ),
  'views.remove': operation(Type.Object({ id: uuid }, { additionalProperties: false }), Type.Null()),
} satisfies Operations
