import type { Db } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { resealRows } from '../../record/audit/reseal-rows.ts'
import { credentialsRow, secretRow } from './secret-row.ts'
import { lockSealedOfAllWorkspaces, updateSecretsOfAllWorkspaces } from './store.ts'

/** Encrypts the secrets of sources with the key in use. Returns how many those were. */
export const resealSources = (db: Db, reseal: Secrets['reseal']): Promise<number> =>
  resealRows(db, reseal, {
    lock: lockSealedOfAllWorkspaces,
    update: updateSecretsOfAllWorkspaces,
    bound: { secret: secretRow, formerSecret: secretRow, credentials: credentialsRow },
  })
