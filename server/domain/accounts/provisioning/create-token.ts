import { createHash } from 'node:crypto'
import { maxScimTokens } from '@signalbox/contract/limits.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { randomBase62 } from '../../../infra/base62.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { insertScimToken, lockProvisioning, selectScimTokens } from './store.ts'

const shownLength = 11

/** What is stored of a token. */
export const scimDigest = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * Makes a token for an identity provider. Its value is in the answer and nowhere else. Only where the installation has
 * such a provider: people of other workspaces can be brought in by it, and those belong to one company then.
 */
export async function createScimToken(ctx: Context, given: { name: string; hasProvider: boolean }) {
  requireRole(ctx, 'owner', 'create a SCIM token')
  if (!given.hasProvider)
    throw new DomainError('conflict', `This server has no identity provider. ${asksFor('OIDC_ISSUER')}`)
  const name = given.name.trim()
  if (!name) throw new DomainError('invalid_request', 'A SCIM token needs a name.')
  const token = `scim_${randomBase62(40)}`
  const createdAt = ctx.clock.now()
  const id = newId(createdAt)
  const prefix = token.slice(0, shownLength)
  return change(ctx, async (tx) => {
    await lockProvisioning(tx, ctx.workspaceId)
    if ((await selectScimTokens(tx, ctx.workspaceId)).length >= maxScimTokens)
      throw new DomainError(
        'conflict',
        `A workspace can have ${maxScimTokens} SCIM tokens. Revoke one that is no longer used.`,
      )
    await insertScimToken(tx, ctx.workspaceId, { id, name, prefix, digest: scimDigest(token), createdAt })
    return {
      value: { id, name, prefix, token },
      audit: {
        event: 'provisioning_changed',
        entity: { type: 'token', id, name },
        details: { change: 'token_created', prefix },
      },
    }
  })
}
