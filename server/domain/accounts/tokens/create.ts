import {
  type Permission,
  permissions,
  type TokenLifetime,
  tokenLifetimes,
  tokenPrefixLength,
} from '@signalbox/contract/token.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { insertToken, selectOwner } from './store.ts'
import { digestOf, newTokenValue } from './value.ts'

export interface NewToken {
  personId: string
  name: string
  permissions: Permission[]
  expires: TokenLifetime
  /** Whether it may manage the configuration. Only where the operator allows it, and for an owner or admin. */
  manages?: boolean
}

/** Makes a token for a member. Its value is in the answer and nowhere else. */
export async function createToken(ctx: Context, input: NewToken) {
  const name = input.name.trim()
  if (!name) throw new DomainError('invalid_request', 'A token needs a name.')
  const granted = permissions.filter((permission) => input.permissions.includes(permission))
  if (granted.length === 0 || granted.length < new Set(input.permissions).size) {
    throw new DomainError(
      'invalid_request',
      `A token needs one or more of the permissions ${permissions.join(', ')}.`,
    )
  }
  const { manages = false } = input
  if (manages) requireRole(ctx, 'admin', 'create a token that manages the configuration')
  const days = tokenLifetimes[input.expires]
  if (!days) throw new DomainError('invalid_request', 'A token expires after 30d, 90d or 1y.')
  const person = await selectOwner(ctx.db, ctx.workspaceId, input.personId)
  if (!person)
    throw new DomainError('invalid_request', 'Tokens can be created only for members of the workspace.')
  if (ctx.actor.type === 'human' && ctx.actor.userId !== person.id) {
    throw new DomainError('insufficient_role', 'Tokens are personal: you can create one only for yourself.')
  }

  const value = newTokenValue()
  const createdAt = ctx.clock.now()
  const token = {
    id: newId(createdAt),
    personId: person.id,
    name,
    prefix: value.slice(0, tokenPrefixLength),
    digest: digestOf(value),
    permissions: granted,
    manages,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + days * 86_400_000),
  }
  return change(ctx, async (tx) => {
    await insertToken(tx, ctx.workspaceId, token)
    return {
      value: {
        id: token.id,
        token: value,
        name,
        prefix: token.prefix,
        permissions: granted,
        manages,
        createdAt,
        expiresAt: token.expiresAt,
      },
      audit: {
        event: 'token_created',
        entity: { type: 'token', id: token.id, name },
        people: [person],
        details: {
          prefix: token.prefix,
          permissions: granted,
          ...(manages ? { manages } : {}),
          expiresAt: token.expiresAt.toISOString(),
          owner: person.name,
        },
      },
    }
  })
}
