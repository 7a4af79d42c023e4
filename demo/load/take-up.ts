import { leaseSeconds } from '../../server/domain/engine/orders/orders.ts'
import { housekeeping } from '../../server/domain/record/audit/change.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { tables } from '../../server/test/tables.ts'

/**
 * Frees what the last demo process held when it ended: orders that it played are handed out again, and its pending
 * outside calls are due now. Otherwise both would wait for a minute or two. An order keeps its number, so what was
 * reported on it before does not count twice.
 */
export async function takeUpAgain(db: Db, now: Date): Promise<void> {
  const leasedUntil = new Date(now.getTime() + leaseSeconds * 1000)
  await housekeeping(db, 'take up again what the last process held', async (tx) => {
    const working = await tables(tx)
      .updateTable('work_orders')
      .set({ lease_until: leasedUntil, offered_at: now })
      .where('state', '<>', 'ended')
      // What a person does on their own machine goes on without this process.
      .where('person_id', 'is', null)
      .returning(['run_id as id', 'fence'])
      .execute()
    const orders = working.map(({ id, fence }) => `hand_out/${id}/${fence}`)
    await tables(tx)
      .updateTable('effects')
      .set({ due_at: now, done_at: null })
      .where((is) => is.or([is('due_at', '>', now), ...orders.map((key) => is('key', '=', key))]))
      .execute()
  })
}
