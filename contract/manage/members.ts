import { Type } from 'typebox'
import { roles } from '../roles.ts'
import { type Of, oneOf } from '../shapes.ts'

/** The role of a member, by email address. People are invited, and removed, in the app. */
export const ManagedMember = Type.Object(
  { role: oneOf(roles) },
  { $id: 'Member', additionalProperties: false },
)
export type ManagedMember = Of<typeof ManagedMember>
