import type { Permission } from '@signalbox/contract/token.ts'
import { createToken } from '../../server/domain/accounts/tokens/create.ts'
import { revokeToken } from '../../server/domain/accounts/tokens/revoke.ts'
import { insertToken } from '../../server/domain/accounts/tokens/store.ts'
import { digestOf, newTokenValue } from '../../server/domain/accounts/tokens/value.ts'
import { change } from '../../server/domain/record/audit/change.ts'
import type { Clock } from '../../server/infra/clock.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { newId } from '../../server/infra/ids.ts'
import { admin, member, owner } from '../halden-parcels/people.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { marlowBayFerries, otherOwner } from '../marlow-bay-ferries/workspace.ts'
import { type Acting, acting } from './acting.ts'

/** Fresh tokens for every start: a token's value is kept nowhere, so those of the last start cannot be shown again. */
export async function issueDemoTokens(db: Db, clock: Clock) {
  const asOwner = await acting(db, clock, haldenParcels.slug, owner.email)
  const asOther = await acting(db, clock, marlowBayFerries.slug, otherOwner.email)
  const issue = async (ctx: Acting, name: string, permissions: Permission[] = ['read', 'write']) =>
    createToken(ctx, { personId: ctx.actor.userId, name, permissions, expires: '30d' })
  const issueTo = async (email: string) => issue(await acting(db, clock, haldenParcels.slug, email), 'demo')
  const issueRevoked = async () => {
    const token = await issue(asOwner, 'demo: revoked')
    await revokeToken(asOwner, token.id)
    return token
  }

  // Together: each of them waits for the disk.
  const [ofOwner, ofAdmin, ofMember, readOnly, writeOnly, expired, revoked, otherWorkspace] =
    await Promise.all([
      issue(asOwner, 'demo'),
      issueTo(admin.email),
      issueTo(member.email),
      issue(asOwner, 'demo: read only', ['read']),
      issue(asOwner, 'demo: write only', ['write']),
      issueExpired(asOwner),
      issueRevoked(),
      issue(asOther, 'demo'),
    ])
  return {
    owner: ofOwner.token,
    admin: ofAdmin.token,
    member: ofMember.token,
    readOnly: readOnly.token,
    writeOnly: writeOnly.token,
    expired,
    revoked: revoked.token,
    otherWorkspace: otherWorkspace.token,
  }
}

/** No verb makes a token that has expired, so this one is made the way a month ago would have left it. */
async function issueExpired(ctx: Acting): Promise<string> {
  const value = newTokenValue()
  const now = ctx.clock.now()
  const createdAt = new Date(now.getTime() - 31 * 86_400_000)
  const expiresAt = new Date(createdAt.getTime() + 30 * 86_400_000)
  const token = { id: newId(now), name: 'demo: expired', prefix: value.slice(0, 11) }
  await change(ctx, async (tx) => {
    await insertToken(tx, ctx.workspaceId, {
      ...token,
      personId: ctx.actor.userId,
      digest: digestOf(value),
      permissions: ['read'],
      manages: false,
      createdAt,
      expiresAt,
    })
    return {
      value: null,
      audit: {
        event: 'token_created',
        entity: { type: 'token', id: token.id, name: token.name },
        details: {
          prefix: token.prefix,
          permissions: ['read'],
          expiresAt: expiresAt.toISOString(),
          owner: ctx.actor.name,
        },
      },
    }
  })
  return value
}
