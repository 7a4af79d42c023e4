import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { attemptKey } from './attempts.ts'
import { countAttemptByKey } from './store.ts'

/** Longer than any clock accepts the code of an authenticator app. */
const rememberedMs = 180_000

/**
 * A code works once, so that one read over a shoulder or from a wire is worth nothing. False when it has been sent
 * before; on all nodes, and also when two send it at the same moment.
 */
export async function spendCode(
  { db, clock }: { db: Db; clock: Clock },
  personId: string,
  code: string,
): Promise<boolean> {
  const now = clock.now()
  const key = attemptKey(`code ${personId} ${code.replaceAll(/\D/g, '')}`)
  return housekeeping(db, 'a code works once', async (tx) => {
    const { attempts } = await countAttemptByKey(tx, key, now, new Date(now.getTime() + rememberedMs))
    return attempts === 1
  })
}
