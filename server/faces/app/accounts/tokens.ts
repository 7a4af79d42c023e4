import type { reads, writes } from '@signalbox/contract/app/tokens.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import type { Permission } from '@signalbox/contract/token.ts'
import { createToken } from '../../../domain/accounts/tokens/create.ts'
import { listTokens } from '../../../domain/accounts/tokens/list.ts'
import { revokeToken } from '../../../domain/accounts/tokens/revoke.ts'
import type { Context } from '../../../domain/context.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Handlers } from '../operation.ts'

export const tokensHandlers: Handlers<typeof reads & typeof writes> = {
  'tokens.list': async (ctx, _, { managementApi }) => ({ data: await listTokens(ctx), managementApi }),
  'tokens.create': async (ctx, { name, permissions, expires, manages = false }, { managementApi }) => {
    if (manages && !managementApi)
      throw new DomainError('invalid_request', `The management API is off. ${asksFor('MANAGEMENT_API')}`)
    const made = await createToken(ctx, {
      personId: personOf(ctx),
      name,
      permissions: permissions as Permission[],
      expires,
      manages,
    })
    return {
      id: made.id,
      token: made.token,
      name: made.name,
      prefix: made.prefix,
      permissions: made.permissions,
      manages: made.manages,
      createdAt: made.createdAt.toISOString(),
      expiresAt: made.expiresAt.toISOString(),
      lastUsedAt: null,
      revokedAt: null,
    }
  },
  'tokens.revoke': async (ctx, { id }) => {
    await revokeToken(ctx, id)
    return null
  },
}

const personOf = ({ actor }: Context) => (actor.type === 'human' ? actor.userId : '')
