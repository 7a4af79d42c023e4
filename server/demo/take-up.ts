import { sql } from 'kysely'
import { housekeeping } from '../domain/audit/change.ts'
import { leaseSeconds } from '../domain/engine/orders.ts'
import type { Db } from '../infra/db/db.ts'

/**
 * Frees what the last demo process held when it ended: orders that it played are handed out again, and what it was about
 * to do outside is due at once. Otherwise both would be missed for a minute or two first. An order keeps its number, so
 * what was reported on it before does not count twice.
 */
export async function takeUpAgain(db: Db, now: Date): Promise<void> {
  const leasedUntil = new Date(now.getTime() + leaseSeconds * 1000)
  await housekeeping(db, 'take up again what the last process held', (tx) =>
    sql`
      with working as (
        update work_orders set lease_until = ${leasedUntil}, offered_at = ${now} where state <> 'ended'
        returning run_id, fence
      )
      update effects set due_at = ${now}, done_at = null
      where due_at > ${now} or key in (select 'hand_out/' || run_id || '/' || fence from working)
    `.execute(tx),
  )
}
