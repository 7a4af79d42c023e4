import { Type } from 'typebox'
import { maxNameLength, maxReasonLength } from '../limits.ts'
import { nullable, type Of } from '../shapes.ts'

/** A team, by its slug. */
export const ManagedTeam = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
    keyPrefix: Type.String({
      pattern: '^[A-Z][A-Z0-9]{0,9}$',
      description: "first part of the team's story keys; it cannot be changed later",
      examples: ['WEB'],
    }),
    description: Type.Optional(nullable(Type.String({ maxLength: maxReasonLength }))),
  },
  { $id: 'Team', additionalProperties: false },
)
export type ManagedTeam = Of<typeof ManagedTeam>
