import { Type } from 'typebox'
import { maxShortNameLength } from '../limits.ts'
import { roles } from '../roles.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation, proven } from './operation.ts'

const token = {
  id: uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'the first eleven characters of its value' }),
}

/** What an identity provider authenticates with. */
export const ScimToken = Type.Object({
  ...token,
  createdAt: timestamp,
  lastUsedAt: nullable(timestamp),
})
export type ScimToken = Of<typeof ScimToken>

/** The same with its value: once, in the answer that makes it. */
export const NewScimToken = Type.Object({ ...token, token: Type.String() })
export type NewScimToken = Of<typeof NewScimToken>

/** A group of the identity provider, and the role it gives; null: none. */
export const MappedGroup = Type.Object({
  id: uuid,
  name: Type.String(),
  role: nullable(oneOf(roles)),
  people: Type.Integer(),
})
export type MappedGroup = Of<typeof MappedGroup>

export const SingleSignOnPage = Type.Object({
  /** What people call the identity provider; null: there is none. */
  provider: nullable(Type.String()),
  required: Type.Boolean(),
  /** Whether the person who asks came through it. */
  throughProvider: Type.Boolean(),
  /** Where the provider finds SCIM. */
  scimUrl: Type.String(),
  tokens: Type.Array(ScimToken),
  groups: Type.Array(MappedGroup),
})
export type SingleSignOnPage = Of<typeof SingleSignOnPage>

export const reads = {
  'singleSignOn.read': operation(Type.Object({}), SingleSignOnPage),
} satisfies Operations

export const writes = {
  'singleSignOn.require': proven(
    operation(Type.Object({ required: Type.Boolean() }, { additionalProperties: false }), Type.Null()),
  ),
  'singleSignOn.createToken': proven(
    operation(
      Type.Object(
        { name: Type.String({ minLength: 1, maxLength: maxShortNameLength }) },
        { additionalProperties: false },
      ),
      NewScimToken,
    ),
  ),
  'singleSignOn.revokeToken': operation(
    Type.Object({ id: uuid }, { additionalProperties: false }),
    Type.Null(),
  ),
  'singleSignOn.mapGroup': proven(
    operation(
      Type.Object({ id: uuid, role: nullable(oneOf(roles)) }, { additionalProperties: false }),
      Type.Null(),
    ),
  ),
} satisfies Operations
