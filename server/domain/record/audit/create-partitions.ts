import type { Clock } from '../../../infra/clock.ts'
import { type Db, type Tx, write } from '../../../infra/db/db.ts'
import { statement } from '../../../infra/db/statement.ts'
import { housekeeping } from './change.ts'
import type * as Sql from './create-partitions.types.ts'

export const daysAhead = 92

const prepared = statement<Sql.Prepared>('select prepare_audit_months(:until::date)')
const impatient = statement<Sql.Impatient>(`select set_config('lock_timeout', '2s', true)`)
const lockNotAvailable = '55P03'

/**
 * Adds months to a table. That needs the table for itself, and everyone who writes would wait behind: while a long read,
 * such as a backup, has it, the months are left for the next time, of which there are thousands before they are needed.
 */
export async function addMonths(db: Db, purpose: string, add: (tx: Tx) => Promise<unknown>): Promise<void> {
  try {
    await housekeeping(db, purpose, async (tx) => {
      await write(tx, impatient, {})
      await add(tx)
    })
  } catch (error) {
    if ((error as { code?: string }).code !== lockNotAvailable) throw error
  }
}

/** Whether what was written has a time for which no month was made: the clock went ahead by more than was prepared. */
export const lacksMonth = (error: unknown): boolean =>
  (error as { routine?: string }).routine === 'ExecFindPartition'

/** The log is kept in one partition a month; they are made well before an entry needs one. */
export async function createPartitions(db: Db, clock: Clock): Promise<void> {
  const until = new Date(clock.now().getTime() + daysAhead * 86_400_000).toISOString().slice(0, 10)
  await addMonths(db, 'prepare the months of the audit log', (tx) => write(tx, prepared, { until }))
}
