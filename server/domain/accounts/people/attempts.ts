import { createHash } from 'node:crypto'
import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { countAttemptByKey, deleteAttemptsByKey, uncountAttemptByKey } from './store.ts'

/**
 * How many attempts may fail in a quarter of an hour: from one address, for one account from one address, and for one
 * account from anywhere. The last is generous, or a stranger could lock out anyone whose address they know.
 */
const limits = { address: 50, both: 10, account: 100, visit: 120 }
type Counted = keyof typeof limits
const windowMs = 900_000

/** For which account, and from where. */
export interface Attempt {
  account: string | null
  address: string
}

/**
 * Counts an attempt before it is made, so that concurrent ones count as well. The counts are in the database, because
 * the limit applies to all nodes together. Returns in how many seconds to retry, or null when it may be made.
 */
export async function beginAttempt(
  { db, clock }: { db: Db; clock: Clock },
  attempt: Attempt,
): Promise<number | null> {
  const now = clock.now()
  const endsAt = new Date(now.getTime() + windowMs)
  return housekeeping(db, 'count an attempt to sign in', async (tx) => {
    const waits: number[] = []
    for (const [kind, key] of keysOf(attempt)) {
      const window = await countAttemptByKey(tx, key, now, endsAt)
      if (window.attempts > limits[kind]) waits.push(window.endsAt.getTime() - now.getTime())
    }
    return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.max(...waits) / 1000))
  })
}

/**
 * Counts what a stranger has us write down before anything is tried, as a challenge for a passkey: nothing is guessed,
 * and a whole office behind one address may do it, but not without an end. Apart from attempts, or it would keep people
 * from signing in. Returns in how many seconds to come back, or null when it may be done.
 */
export async function beginVisit(
  { db, clock }: { db: Db; clock: Clock },
  address: string,
): Promise<number | null> {
  const now = clock.now()
  const window = await housekeeping(db, 'count what a stranger leaves behind', (tx) =>
    countAttemptByKey(tx, attemptKey(`visit ${address}`), now, new Date(now.getTime() + windowMs)),
  )
  if (window.attempts <= limits.visit) return null
  return Math.max(1, Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000))
}

/** The attempt succeeded: resets the account's counts, and takes one off the address's. */
export async function forgiveAttempt({ db }: { db: Db }, attempt: Attempt): Promise<void> {
  await housekeeping(db, 'forget attempts that led to a sign-in', async (tx) => {
    for (const [kind, key] of keysOf(attempt))
      await (kind === 'address' ? uncountAttemptByKey(tx, key) : deleteAttemptsByKey(tx, key))
  })
}

/** Always in the same order, to avoid deadlocks. */
function keysOf({ account, address }: Attempt): [Counted, string][] {
  const keys: [Counted, string][] = [['address', attemptKey(`address ${address}`)]]
  if (account !== null)
    keys.push(
      ['both', attemptKey(`account ${account} from ${address}`)],
      ['account', attemptKey(`account ${account}`)],
    )
  return keys
}

/** A digest, because the table need not tell who tried to sign in. */
export const attemptKey = (text: string) => createHash('sha256').update(text).digest('base64url')
