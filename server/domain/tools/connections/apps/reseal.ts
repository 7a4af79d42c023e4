import type { Db } from '../../../../infra/db/db.ts'
import type { Secrets } from '../../../../infra/secrets.ts'
import { resealRows } from '../../../record/audit/reseal-rows.ts'
import { credentialsRow, hookTokenRow, webhookSecretRow } from '../sealed-rows.ts'
import { lockSealedOfAllWorkspaces, updateSealedOfAllWorkspaces } from './store.ts'

/** Encrypts the secrets of apps that are being created with the key in use. Returns how many those were. */
export const resealApps = (db: Db, reseal: Secrets['reseal']): Promise<number> =>
  resealRows(db, reseal, {
    lock: lockSealedOfAllWorkspaces,
    update: updateSealedOfAllWorkspaces,
    bound: { credentials: credentialsRow, hookToken: hookTokenRow, webhookSecret: webhookSecretRow },
  })
