import { Type } from 'typebox'
import { roles } from './roles.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'

/** A pending invitation. The link is shown once, when it is made. */
export const Invitation = Type.Object(
  {
    id: uuid,
    email: Type.String(),
    role: oneOf(roles),
    invitedBy: nullable(Type.String({ description: 'the name of who invited' })),
    createdAt: timestamp,
    expiresAt: timestamp,
  },
  { additionalProperties: false },
)
export type Invitation = Of<typeof Invitation>
