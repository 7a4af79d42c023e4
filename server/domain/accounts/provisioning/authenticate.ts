import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { scimDigest } from './create-token.ts'
import { selectProvisionerByDigest, updateScimTokenUse } from './store.ts'

/** The last use is written down once in so long. */
const noteUseEveryMs = 300_000

export interface Provisioner {
  tokenId: string
  workspaceId: string
  name: string
  prefix: string
}

/** Whose token it is; throws what a 401 says, the same for every reason. */
export async function findProvisioner(
  { db, clock }: { db: Db; clock: Clock },
  token: string,
): Promise<Provisioner> {
  const found = token ? await selectProvisionerByDigest(db, scimDigest(token)) : undefined
  if (!found)
    throw new DomainError('invalid_token', 'The SCIM token is not valid: it is unknown or was revoked.')
  const { lastUsedAt, ...provisioner } = found
  const now = clock.now()
  if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= noteUseEveryMs)
    await housekeeping(db, 'a SCIM token was used', (tx) =>
      updateScimTokenUse(tx, found.workspaceId, found.tokenId, now),
    )
  return provisioner
}
