import { sql } from 'kysely'
import { housekeeping } from '../domain/audit/change.ts'
import { leaseSeconds } from '../domain/runs/advance.ts'
import type { Db } from '../infra/db/db.ts'

/**
 * Hands out again what was being worked on when the demo ended: whoever played it ended with the demo, and need not be
 * missed for a minute first. The order is the same one, so what was reported before does not count twice.
 */
export async function takeUpAgain(db: Db, now: Date): Promise<void> {
  const leasedUntil = new Date(now.getTime() + leaseSeconds * 1000)
  await housekeeping(db, 'hand out orders again', (tx) =>
    sql`
      with working as (
        update runs set wake_at = ${leasedUntil}, ordered_at = ${now} where place = 'working'
        returning workspace_id, id, fence
      )
      update effects e set due_at = ${now}, done_at = null
      from working r
      where e.workspace_id = r.workspace_id and e.key = 'hand_out/' || r.id || '/' || r.fence
    `.execute(tx),
  )
}
