import { Type } from 'typebox'
import { maxNameLength } from '../limits.ts'
import { nullable, type Of, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'
import { Done } from './sign-in.ts'

const closed = { additionalProperties: false }

/** How a person signs in. */
export const Account = Type.Object({
  name: Type.String(),
  email: Type.String(),
  twoFactor: Type.Boolean({ description: 'an authenticator app is asked for after the password' }),
  passkeys: Type.Array(
    Type.Object({ id: uuid, name: nullable(Type.String()), createdAt: nullable(timestamp) }),
  ),
  hasPassword: Type.Boolean(),
  oidc: nullable(
    Type.Object({ name: Type.String(), linked: Type.Boolean({ description: 'used at least once' }) }),
  ),
})
export type Account = Of<typeof Account>

export const Session = Type.Object({
  id: uuid,
  current: Type.Boolean(),
  ipAddress: nullable(Type.String()),
  userAgent: nullable(Type.String()),
  createdAt: timestamp,
  lastUsedAt: Type.String({ format: 'date-time', description: 'to the hour' }),
  expiresAt: timestamp,
})
export type Session = Of<typeof Session>

export const reads = {
  'account.read': operation(Type.Object({}), Account),
  'account.sessions': operation(Type.Object({}), Type.Array(Session)),
} satisfies Operations

export const writes = {
  'account.revokeSession': operation(Type.Object({ id: uuid }, closed), Done),
  'account.revokeOtherSessions': operation(Type.Object({}, closed), Done),
  'account.rename': operation(
    Type.Object({ name: Type.String({ minLength: 1, maxLength: maxNameLength }) }, closed),
    Done,
  ),
} satisfies Operations
