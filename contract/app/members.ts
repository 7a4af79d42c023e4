import { Type } from 'typebox'
import { Invitation } from '../invitation.ts'
import { maxEmailLength } from '../limits.ts'
import { roles } from '../roles.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation, proven } from './operation.ts'

export const Member = Type.Object({
  id: uuid,
  name: Type.String(),
  email: Type.String(),
  role: oneOf(roles),
  joinedAt: timestamp,
  /** The two below are told to owners and admins. */
  lastSeenAt: nullable(timestamp),
  activeTokens: nullable(Type.Integer({ description: 'how many stop working when this person leaves' })),
})
export type Member = Of<typeof Member>

export const reads = {
  /** Everyone in the workspace, by name. */
  'members.list': operation(Type.Object({}), Type.Object({ data: Type.Array(Member) })),
  /** Those that can still be accepted, newest first. */
  'members.invitations': operation(Type.Object({}), Type.Object({ data: Type.Array(Invitation) })),
} satisfies Operations

export const writes = {
  /** The link is shown once; where there is a mail server it is mailed as well. */
  'members.invite': proven(
    operation(
      Type.Object(
        { email: Type.String({ minLength: 3, maxLength: maxEmailLength }), role: oneOf(roles) },
        { additionalProperties: false },
      ),
      Type.Object({ id: uuid, link: Type.String(), mailed: Type.Boolean() }),
    ),
  ),
  'members.revokeInvitation': operation(
    Type.Object({ id: uuid }, { additionalProperties: false }),
    Type.Null(),
  ),
  'members.changeRole': proven(
    operation(Type.Object({ id: uuid, role: oneOf(roles) }, { additionalProperties: false }), Type.Null()),
  ),
  /**
   * Erases a member who has asked for it, from the whole installation. Its email is typed to confirm. Owners only, and
   * only a person who is in no other workspace.
   */
  'members.erase': proven(
    operation(
      Type.Object(
        { id: uuid, email: Type.String({ minLength: 3, maxLength: maxEmailLength }) },
        { additionalProperties: false },
      ),
      Type.Object({
        values: Type.Integer({ description: 'personal values that the audit log referred to' }),
      }),
    ),
  ),
  'members.remove': proven(
    operation(Type.Object({ id: uuid }, { additionalProperties: false }), Type.Null()),
  ),
} satisfies Operations
