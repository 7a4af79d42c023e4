import type { Db } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { credentialsRow, secretRow } from './secret-row.ts'
import { selectSecretsOfAllWorkspaces, updateSecretsOfAllWorkspaces } from './store.ts'

/** Binds what was encrypted by an earlier version to its row. Returns how many sources that were. */
export async function bindSecrets(
  db: Db,
  { encrypt, decrypt, isBound }: Pick<Secrets, 'encrypt' | 'decrypt' | 'isBound'>,
): Promise<number> {
  const bind = (bytes: Buffer | null, row: string) =>
    bytes && !isBound(bytes, row) ? encrypt(decrypt(bytes, row), row) : bytes
  return housekeeping(db, 'bind secrets to their rows', async (tx) => {
    let count = 0
    for (const before of await selectSecretsOfAllWorkspaces(tx)) {
      const { id } = before
      const after = {
        id,
        secret: bind(before.secret, secretRow(id)),
        formerSecret: bind(before.formerSecret, secretRow(id)),
        credentials: bind(before.credentials, credentialsRow(id)),
      }
      const isSame = (['secret', 'formerSecret', 'credentials'] as const).every(
        (name) => after[name] === before[name],
      )
      if (isSame) continue
      await updateSecretsOfAllWorkspaces(tx, after)
      count += 1
    }
    return count
  })
}
