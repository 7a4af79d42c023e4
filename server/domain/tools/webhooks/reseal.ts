import type { Db } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { resealRows } from '../../record/audit/reseal-rows.ts'
import { secretRow } from './secret.ts'
import { lockSealedOfAllWorkspaces, updateSealedOfAllWorkspaces } from './store.ts'

/** Encrypts the secrets of webhook endpoints with the key in use. Returns how many those were. */
export const resealEndpoints = (db: Db, reseal: Secrets['reseal']): Promise<number> =>
  resealRows(db, reseal, {
    lock: lockSealedOfAllWorkspaces,
    update: updateSealedOfAllWorkspaces,
    bound: { secret: secretRow, formerSecret: secretRow },
  })
