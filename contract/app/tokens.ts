import { Type } from 'typebox'
import { maxShortNameLength } from '../limits.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { permissions, tokenLifetimes } from '../token.ts'
import { type Operations, operation, proven } from './operation.ts'

const shown = {
  id: uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'the first eleven characters of its value' }),
  permissions: Type.Array(oneOf(permissions)),
  manages: Type.Boolean({ description: 'it may manage the configuration, over /manage/v1' }),
  createdAt: timestamp,
  expiresAt: timestamp,
  lastUsedAt: nullable(timestamp),
  revokedAt: nullable(timestamp),
}

/** A token as its owner sees it ever after. */
export const Token = Type.Object(shown)
export type Token = Of<typeof Token>

/** The same with its value: once, in the answer that makes it. */
export const NewToken = Type.Object({ ...shown, token: Type.String() })
export type NewToken = Of<typeof NewToken>

const lifetimes = Object.keys(tokenLifetimes) as (keyof typeof tokenLifetimes)[]

export const reads = {
  /** One's own tokens of the workspace, newest first. */
  'tokens.list': operation(
    Type.Object({}),
    Type.Object({
      data: Type.Array(Token),
      /** Whether this installation has a management API. */
      managementApi: Type.Boolean(),
    }),
  ),
} satisfies Operations

export const writes = {
  'tokens.create': proven(
    operation(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: maxShortNameLength }),
          permissions: Type.Array(oneOf(permissions), { minItems: 1, maxItems: permissions.length }),
          expires: oneOf(lifetimes),
          manages: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
      NewToken,
    ),
  ),
  'tokens.revoke': operation(Type.Object({ id: uuid }, { additionalProperties: false }), Type.Null()),
} satisfies Operations
