import { housekeeping } from '../../server/domain/audit/change.ts'
import { leaseSeconds } from '../../server/domain/engine/orders.ts'
import type { Db } from '../../server/infra/db/db.ts'

/**
 * Frees what the last demo process held when it ended: orders that it played are handed out again, and what it was about
 * to do outside is due at once. Otherwise both would be missed for a minute or two first. An order keeps its number, so
 * what was reported on it before does not count twice.
 */
export async function takeUpAgain(db: Db, now: Date): Promise<void> {
  const leasedUntil = new Date(now.getTime() + leaseSeconds * 1000)
  await housekeeping(db, 'take up again what the last process held', async (tx) => {
    const working = await tx
      .updateTable('work_orders')
      .set({ lease_until: leasedUntil, offered_at: now })
      .where('state', '<>', 'ended')
      // What a person does on their own machine goes on without this process.
      .where('person_id', 'is', null)
      .returning(['run_id as id', 'fence'])
      .execute()
    const orders = working.map(({ id, fence }) => `hand_out/${id}/${fence}`)
    await tx
      .updateTable('effects')
      .set({ due_at: now, done_at: null })
      .where((is) => is.or([is('due_at', '>', now), ...orders.map((key) => is('key', '=', key))]))
      .execute()
  })
}
