import type { Db } from '../../../infra/db/db.ts'
import type { Identity } from '../../ports/identity.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { selectTwoFactorsOfAllPeople, updateTwoFactorOfAllPeople } from './store.ts'

const rowsAtATime = 100

type TwoFactor = Awaited<ReturnType<typeof selectTwoFactorsOfAllPeople>>[number]

/**
 * Encrypts what people's authenticator apps share with us with the key in use. Returns how many values that were. What
 * was changed in the meantime was written with that key already, and is left as it is.
 */
export async function resealTwoFactors(db: Db, reseal: Identity['reseal']): Promise<number> {
  let count = 0
  let afterId: string | null = null
  for (;;) {
    const rows: readonly TwoFactor[] = await selectTwoFactorsOfAllPeople(db, afterId, rowsAtATime)
    for (const before of rows) {
      const [secret, backupCodes] = await Promise.all([reseal(before.secret), reseal(before.backupCodes)])
      if (secret === null && backupCodes === null) continue
      const after = { secret: secret ?? before.secret, backupCodes: backupCodes ?? before.backupCodes }
      count += await housekeeping(db, 'encrypt secrets with the new key', (tx) =>
        updateTwoFactorOfAllPeople(tx, before.id, {
          ...after,
          secretBefore: before.secret,
          codesBefore: before.backupCodes,
        }),
      )
    }
    if (rows.length < rowsAtATime) return count
    afterId = rows.at(-1)!.id
  }
}
