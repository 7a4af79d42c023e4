import { Type } from 'typebox'
import { nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'

/** Roles in a workspace, highest first. */
export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

/** An invitation that nobody has accepted yet. The link is shown once, when it is made. */
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
